import type { Plugin } from 'vite';

/** What the component library takes from large packages for the frame of every page, and where else it is. */
const PARTS = [
  // Only `useMergeRefs`. The package also places menus and tooltips, which pages load once they need them.
  { file: /\/ScrollArea\/ScrollArea\.mjs$/, from: '@floating-ui/react', part: '/app/merge-refs.ts' },
  // Only the names of classes. The package also holds the page behind a dialog.
  { file: /\/AppShell\/\w+\/\w+\.mjs$/, from: 'react-remove-scroll', part: 'react-remove-scroll/UI' },
];

/** Keeps the first page from loading whole packages for a few lines of them. */
export const lighterParts = (): Plugin => ({
  name: 'lighter-parts',
  apply: 'build',
  enforce: 'pre',
  async resolveId(source, importer = '') {
    const found = PARTS.find(({ file, from }) => from === source && file.test(importer));
    return found === undefined ? null : this.resolve(found.part, importer, { skipSelf: true });
  },
});
