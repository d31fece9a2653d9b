import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { SECRETS } from '../../bin/settings/settings.ts';
import { VERSION } from '../../bin/settings/version.ts';
import { lacking } from '../support/needs.ts';
import { STOP_MS } from '../support/patience.ts';
import { PRODUCT } from '../support/service/node-process.ts';

/** The Helm chart: what it renders for both shapes, checked by the schemas of Kubernetes. */
const CHART = join(PRODUCT, 'deploy/helm');
const TOOLS = process.env['HELM_TOOLS'] ?? '';

const run = promisify(execFile);

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const deployment = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    replicas: z.number(),
    strategy: z.looseObject({ type: z.string() }),
    template: z.object({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({}),
        topologySpreadConstraints: z.array(z.looseObject({ topologyKey: z.string() })).default([]),
        containers: z.tuple([
          z.looseObject({
            image: z.string(),
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            livenessProbe: probe,
            readinessProbe: probe,
            resources: z.object({ limits: z.record(z.string(), z.string()) }),
            securityContext: z.looseObject({}),
            volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const manifest = z.looseObject({ kind: z.string() });

/** The values of both shapes, and of everything that is optional. */
const SHAPES = {
  embedded: {},
  scaledOut: {
    mode: 'scaledOut',
    settings: { WAREHOUSE_DATA: 's3://lake/warehouse', TEMPORAL_ADDRESS: 'temporal:7233' },
    secrets: { existingSecret: 'costs', keys: ['WAREHOUSE', 'MASTER_KEY', 'OPERATOR_KEY'] },
  },
  everything: {
    image: { digest: `sha256:${'0'.repeat(64)}` },
    secrets: { values: { OPERATOR_KEY: 'Sesame, open yourself' } },
    ingress: { enabled: true, host: 'costs.example.com', className: 'nginx', tlsSecret: 'costs-tls' },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  },
} as const;

const why = lacking('helm');

describe.skipIf(why !== '')(`the Helm chart${why}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cost-analytics-helm-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const helm = async (command: string[], values: object): Promise<string> => {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    return (await run(join(TOOLS, 'helm'), [...command, CHART, '--values', file])).stdout;
  };
  const render = (values: object): Promise<string> => helm(['template', 'costs'], values);
  const manifestsOf = (text: string) =>
    parseAllDocuments(text).map((document) => manifest.parse(document.toJS()));
  const deploymentsOf = async (values: object) =>
    manifestsOf(await render(values))
      .filter(({ kind }) => kind === 'Deployment')
      .map((each) => deployment.parse(each));

  it.each(Object.entries(SHAPES))('%s passes lint and the schemas of Kubernetes', async (_, values) => {
    await helm(['lint', '--strict'], values);
    const file = join(folder, 'manifests.yaml');
    await writeFile(file, await render(values));
    await run(join(TOOLS, 'kubectl-validate'), [file, '--local-crds', join(TOOLS, 'crds')]);
  });

  it('is checked by schemas that know each field', async () => {
    const file = join(folder, 'wrong.yaml');
    const text = await render({});
    await writeFile(file, text.replace('terminationGracePeriodSeconds', 'terminationGraceSeconds'));
    await expect(run(join(TOOLS, 'kubectl-validate'), [file])).rejects.toThrow();
  });

  it('embedded is one process that owns its volume', async () => {
    const [process, ...others] = await deploymentsOf(SHAPES.embedded);
    expect(others).toEqual([]);
    expect(process?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const { containers, volumes } = process?.spec.template.spec ?? {};
    expect(containers?.[0].args).toEqual(['start']);
    expect(volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'costs-cost-analytics' },
    });
    const claim = manifestsOf(await render({})).find(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claim).toMatchObject({ metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } } });
  });

  it('scaledOut spreads API and worker processes, and keeps them through disruptions', async () => {
    const processes = await deploymentsOf(SHAPES.scaledOut);
    expect(processes.map(({ spec }) => [spec.template.spec.containers[0].args, spec.replicas])).toEqual([
      [['api'], 2],
      [['worker'], 2],
    ]);
    for (const { spec } of processes)
      expect(spec.template.spec.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ]);
    const budgets = manifestsOf(await render(SHAPES.scaledOut)).filter(
      ({ kind }) => kind === 'PodDisruptionBudget',
    );
    expect(budgets).toMatchObject([{ spec: { maxUnavailable: 1 } }, { spec: { maxUnavailable: 1 } }]);
  });

  it('runs each process without rights, within limits, with its probes, and with time to stop', async () => {
    const processes = [...(await deploymentsOf(SHAPES.embedded)), ...(await deploymentsOf(SHAPES.scaledOut))];
    expect(processes).toHaveLength(3);
    for (const { spec } of processes) {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(Object.keys(container.resources.limits)).toEqual(
        expect.arrayContaining(['cpu', 'memory', 'ephemeral-storage']),
      );
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
        expect.arrayContaining(['/data', '/tmp']),
      );
      expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(STOP_MS);
      const serves = !container.args.includes('worker');
      const port = serves ? 'http' : 'metrics';
      expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port });
      expect(container.readinessProbe.httpGet).toEqual({ path: serves ? '/readyz' : '/livez', port });
    }
  });

  it('hands secrets over as files, and never as variables', async () => {
    for (const { spec } of await deploymentsOf(SHAPES.scaledOut)) {
      const [{ env }] = spec.template.spec.containers;
      for (const name of SHAPES.scaledOut.secrets.keys) {
        expect(env).toContainEqual({ name: `${name}_FILE`, value: `/run/secrets/cost-analytics/${name}` });
        expect(env.map((each) => each.name)).not.toContain(name);
      }
      expect(spec.template.spec.volumes).toContainEqual({
        name: 'secrets',
        secret: { secretName: 'costs', defaultMode: 0o440 },
      });
    }
    expect(manifestsOf(await render(SHAPES.scaledOut)).some(({ kind }) => kind === 'Secret')).toBe(false);
    const own = manifestsOf(await render(SHAPES.everything));
    expect(own.filter((each) => JSON.stringify(each).includes('Sesame'))).toMatchObject([{ kind: 'Secret' }]);
  });

  it('has Ingress, ServiceMonitor and digest only on demand', async () => {
    const optional = ['Ingress', 'ServiceMonitor'];
    const kindsOf = async (values: object): Promise<string[]> =>
      manifestsOf(await render(values)).map(({ kind }) => kind);
    expect((await kindsOf({})).filter((kind) => optional.includes(kind))).toEqual([]);
    expect(await kindsOf(SHAPES.everything)).toEqual(expect.arrayContaining(optional));
    const [byTag] = await deploymentsOf({});
    const [byDigest] = await deploymentsOf(SHAPES.everything);
    expect(byTag?.spec.template.spec.containers[0].image).toBe(`cost-analytics:${VERSION}`);
    expect(byDigest?.spec.template.spec.containers[0].image).toBe(`cost-analytics@sha256:${'0'.repeat(64)}`);
  });

  it('refuses values that cannot work', async () => {
    const { settings, secrets } = SHAPES.scaledOut;
    const refused: [object, RegExp][] = [
      [{ mode: 'scaledOut', settings }, /scaledOut needs WAREHOUSE/],
      [{ mode: 'scaledOut', secrets }, /settings.WAREHOUSE_DATA: scaledOut needs it/],
      [{ settings: { MASTER_KEY: 'Sesame' } }, /invalid propertyName 'MASTER_KEY'/],
      [{ secrets: { values: { MASTERKEY: 'Sesame' } } }, /invalid propertyName 'MASTERKEY'/],
      [{ secrets: { existingSecret: 'costs' } }, /name the settings/],
      [{ terminationGracePeriodSeconds: 30 }, /minimum/],
      [{ ingress: { enabled: true } }, /host/],
    ];
    for (const [values, reason] of refused) await expect(render(values)).rejects.toThrow(reason);
  });
});

describe('the values of the Helm chart', () => {
  it('know all secret settings', async () => {
    const schema = z
      .object({ definitions: z.object({ secret: z.object({ enum: z.array(z.string()) }) }) })
      .parse(JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')));
    expect(schema.definitions.secret.enum).toEqual(SECRETS);
  });

  it('are those of this version', async () => {
    const chart = await readFile(join(CHART, 'Chart.yaml'), 'utf8');
    expect(chart).toContain(`\nversion: ${VERSION}\nappVersion: ${VERSION}\n`);
  });
});
