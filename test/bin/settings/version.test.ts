import { describe, expect, it } from 'vitest';
import { isNodeVersion, NODE_VERSIONS } from '../../../bin/settings/version.ts';

describe('the versions of Node', () => {
  it('are those of package.json', () => {
    expect(NODE_VERSIONS).toBe('^20.19.0 || ^22.13.0 || >=24.0.0');
    const given = ['18.20.8', '20.18.3', '20.19.0', '20.20.2', '21.7.3', '22.12.0', '22.13.0', '23.11.1'];
    expect([...given, '24.0.0', '26.10.0', '100.0.0'].filter((version) => isNodeVersion(version))).toEqual([
      '20.19.0',
      '20.20.2',
      '22.13.0',
      '24.0.0',
      '26.10.0',
      '100.0.0',
    ]);
    expect(isNodeVersion(process.versions.node)).toBe(true);
  });

  it('are ranges that are understood', () => {
    expect(() => isNodeVersion('20.19.0', '~20.19.0')).toThrow(
      'expected ^ or >= and a version of Node, got ~20.19.0',
    );
  });
});
