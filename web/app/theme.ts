import {
  Alert,
  Badge,
  createTheme,
  NavLink,
  type CSSVariablesResolver,
  type MantineThemeComponents,
} from '@mantine/core';

/** Components that the first page does not draw. `extend` would load them with the theme. */
const LATER = {
  // The header of a dialog would be a second banner of the page.
  Modal: {
    defaultProps: {
      attributes: { header: { role: 'none' } },
      closeButtonProps: { 'aria-label': 'Close' },
    },
  },
  Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
} as const satisfies MantineThemeComponents;

/** One accent, small radius, tabular figures (app.css). Shades keep the contrast of WCAG 2.2 AA in light and dark. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    // Coloured titles of alerts miss the contrast of WCAG 2.2 AA on their light ground.
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    // Light badges miss the contrast of WCAG 2.2 AA. A dot has the colour, and the text stays dark.
    Badge: Badge.extend({
      defaultProps: { variant: 'dot', radius: 'sm' },
      styles: { root: { minWidth: 'max-content', textTransform: 'none' } },
    }),
    // On hover the library darkens the link of the open page until its text misses the contrast.
    NavLink: NavLink.extend({ styles: { root: { '--nl-hover': 'var(--nl-bg)' } } }),
    ...LATER,
  },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
});

/** Darker texts than the library's, because its dimmed and error texts miss the contrast of WCAG 2.2 AA. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--mantine-color-anchor': colors.blue[9],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': colors.blue[3],
  },
});
