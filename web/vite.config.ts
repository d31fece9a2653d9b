import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';
import { lighterParts } from './lighter-parts.ts';

/** What the service replaces in index.html, for each answer, by a new nonce (api/dashboard). */
const NONCE = '__CSP_NONCE__';

export default defineConfig({
  root: import.meta.dirname,
  html: { cspNonce: NONCE },
  plugins: [
    lighterParts(),
    react(),
    compression({ algorithms: ['gzip', 'brotliCompress'], include: /\.(js|css|svg)$/ }),
  ],
  // While pages are worked on, a running service answers everything else.
  server: { proxy: { '/api': process.env['COST_ANALYTICS_URL'] ?? 'http://127.0.0.1:8080' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // Data URLs would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    target: 'es2023',
    // What the first page needs comes as one file. Small ones compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
  },
});
