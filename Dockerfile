# One image for every service and every command of an operator:
#   docker run payrail tools/commands/service.ts payouts
#   docker run payrail tools/commands/verify.ts --json
# It is built from the package registry alone. Node runs TypeScript directly, so only the console is built.

# checkov:skip=CKV_DOCKER_7:The tags are in the defaults of these arguments.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG MONGO_IMAGE=mongo:8.0
ARG NATS_IMAGE=nats:2.11

FROM ${NODE_IMAGE} AS runtime

FROM runtime AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM runtime AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY shared shared
COPY clients/typescript/src clients/typescript/src
COPY tools/platform/console.ts tools/platform/
COPY clients/console clients/console
RUN ["node", "--input-type=module", "-e", "import { buildConsole } from '/app/tools/platform/console.ts'; await buildConsole()"]

FROM ${NATS_IMAGE} AS nats

# The quick tests, with the database of production: docker compose run --rm test
FROM ${MONGO_IMAGE} AS test
COPY --from=runtime /usr/local /usr/local
COPY --from=nats /nats-server /usr/local/bin/
# Tests run the examples of the documentation, and look at the processes.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends curl procps && \
    rm -rf /var/lib/apt/lists/*
# The tests write into node_modules and DATA_DIR.
RUN install -d -o 10001 -g 10001 /app
USER 10001:10001
WORKDIR /app
ENV HOME=/tmp
COPY --chown=10001:10001 package.json package-lock.json .npmrc ./
# Their processes run with the pinned runtime; here it is the image's.
RUN npm ci --ignore-scripts && ln -sf /usr/local/bin/node node_modules/.bin/node
COPY --chown=10001:10001 . .
ENTRYPOINT ["npm"]
CMD ["test"]
HEALTHCHECK NONE

FROM runtime AS payrail
WORKDIR /app
# A new volume that is mounted on one of these folders belongs to the user, so that
# tools/commands/provision.ts can write into it.
RUN for name in accounts wallet-ledger webhooks payouts payment-links gateway \
      migrate verify backup demo authority mongo nats; \
    do install -d -m 0750 -o 10001 -g 10001 "/secrets/$name"; done && \
    install -d -o 10001 -g 10001 /var/cache/payrail
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY docs docs
COPY shared shared
COPY partners partners
COPY services services
COPY --from=console /app/clients/console/dist clients/console/dist
COPY tools/migrate tools/migrate
COPY tools/verify tools/verify
COPY tools/platform tools/platform
COPY tools/commands tools/commands
USER 10001:10001
# Node's cache of compiled code, one for each user id: with it a service starts in half the time.
ENV NODE_COMPILE_CACHE=/var/cache/payrail
RUN ["node", "--input-type=module", "-e", "import { globSync } from 'node:fs'; for (const path of ['tools/platform/services.ts', ...globSync(['services/*/*.service.ts', 'partners/sandbox/{rail,acquirer}.ts'])]) await import(`/app/${path}`)"]

ENV NODE_ENV=production PROBE_PORT=9090
EXPOSE 3000 9090
ENTRYPOINT ["node"]
CMD ["tools/commands/service.ts", "--help"]
# Docker does nothing about an unhealthy container; `docker compose up` waits for a healthy one.
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PROBE_PORT + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="payrail" \
  org.opencontainers.image.description="Payouts from wallets and collection by payment links" \
  org.opencontainers.image.licenses="UNLICENSED" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
