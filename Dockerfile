# Any images with the same programs can take the place of these. The digests are those of images for several platforms.
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
# The version in temporal/cli/cli-cache.ts. Give its digest as a build argument (docs/operation.md, "Run the image").
ARG TEMPORAL_IMAGE=docker.io/temporalio/temporal:1.5.1

FROM ${TEMPORAL_IMAGE} AS temporal

FROM ${NODE_IMAGE} AS extensions
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3-pip
WORKDIR /build
COPY package.json ./
COPY scripts/fetch-duckdb-extensions.sh scripts/
RUN scripts/fetch-duckdb-extensions.sh /extensions

# What the npm package has. `npm pack` builds it, if the checkout has no build that is newer than its sources.
FROM ${NODE_IMAGE} AS package
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --loglevel=warn && mkdir /package && tar -xzf cost-analytics-*.tgz -C /package --strip-components=1

# Only what runs here: no programs for other platforms, no compiler of workflows, which are compiled already, and no
# declarations and maps of sources.
FROM ${NODE_IMAGE} AS modules
WORKDIR /modules
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && cd node_modules && rm -r @swc/core-* \
  && find @temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && find . -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -delete

FROM ${DEBIAN_IMAGE}
LABEL org.opencontainers.image.title="Cost Analytics" \
  org.opencontainers.image.description="Self-hosted unit economics" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0"
# New volumes take their owner from these folders.
RUN useradd --uid 1000 --home-dir /data --shell /usr/sbin/nologin service \
  && install -d -o service -g service -m 700 /data /data/exports \
  && ln -s /app/bin/cost-analytics.cjs /usr/local/bin/cost-analytics
COPY --from=modules /usr/local/bin/node /usr/local/bin/
COPY --from=temporal /usr/local/bin/temporal /usr/local/bin/
COPY --from=extensions /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=extensions /extensions /app/extensions
COPY --from=modules /modules/node_modules /app/node_modules
COPY --from=package /package /app
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0 DUCKDB_EXTENSIONS=/app/extensions
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
# A worker serves /livez on METRICS_PORT only.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "--eval", \
  "fetch(`http://127.0.0.1:${process.env.METRICS_PORT || process.env.PORT || 8080}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
ENTRYPOINT ["cost-analytics"]
CMD ["start"]
