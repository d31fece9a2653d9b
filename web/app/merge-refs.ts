import { useMergedRef } from '@mantine/hooks';

type Refs = Parameters<typeof useMergedRef<HTMLElement>>;

/** `useMergeRefs` of `@floating-ui/react`, as the build gives it to the frame of pages (lighter-parts.ts). */
export const useMergeRefs = (refs: Refs): ReturnType<typeof useMergedRef<HTMLElement>> =>
  useMergedRef(...refs);
