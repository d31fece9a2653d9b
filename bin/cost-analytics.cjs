#!/usr/bin/env node
// DuckDB's statements run on libuv's thread pool. Node reads its size at the first use, so set it before the first
// asynchronous import. With the default of 4, a few long statements would delay every request.
process.env.UV_THREADPOOL_SIZE ??= '16';
import('../dist/bin/main.js').catch((error) => {
  console.error(error.code === 'ERR_MODULE_NOT_FOUND' ? `not built: run npm ci (${error.message})` : error);
  process.exit(1);
});
