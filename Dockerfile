# The image that projects run in. Any image with Node can be used in its place; this one has what agents reach for.
# Build it by scripts/sandbox-image.sh, which makes the base image where it cannot be pulled.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS sandbox

# Certificates that the building machine trusts beyond the usual ones: *.crt beside this file, none by default.
COPY Dockerfile certificates*/*.crt /usr/local/share/ca-certificates/

RUN rm -f /usr/local/share/ca-certificates/Dockerfile \
 && apt-get update \
 && apt-get install --yes --no-install-recommends \
      bash ca-certificates coreutils curl diffutils file findutils git jq less patch procps python3 python3-venv \
      ripgrep unzip xz-utils \
 && rm -rf /var/lib/apt/lists/* \
 && update-ca-certificates

# Node trusts what the system trusts.
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt

ARG PNPM=12
RUN npm install --global --no-fund --no-audit --no-update-notifier "pnpm@${PNPM}" \
 && rm -rf /root/.npm

# Commands run as uid 1000, named agent. Volumes that are mounted on the two directories take over their owner.
RUN mkdir -p /workspace /home/agent \
 && usermod --login agent --home /home/agent node \
 && groupmod --new-name agent node \
 && chown 1000:1000 /workspace /home/agent

WORKDIR /
CMD ["sleep", "infinity"]
