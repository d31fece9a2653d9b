#!/usr/bin/env bash
# Builds the S3 server of the tests with Go, once, and prints its path.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/go-program.sh" versitygw 1.8.0 github.com/versity/versitygw/cmd/versitygw@v1.8.0
