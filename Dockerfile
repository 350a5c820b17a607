# The rackwright image: worker, gateway and command line of one build.
FROM node:20-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/rackwright
COPY --from=build --chown=root:root /src/package.json ./
COPY --from=build --chown=root:root /src/node_modules ./node_modules
COPY --from=build --chown=root:root /src/dist ./dist
RUN ln -s /opt/rackwright/dist/client/cli/main.js /usr/local/bin/rackwright \
  && mkdir -p /var/lib/rackwright && chown node:node /var/lib/rackwright
USER node
ENV RACKWRIGHT_DATA_DIR=/var/lib/rackwright
VOLUME /var/lib/rackwright
ENTRYPOINT ["rackwright"]
CMD ["--help"]
