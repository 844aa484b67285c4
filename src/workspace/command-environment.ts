/**
 * Variables that every command has beside those of its provider. Nothing of the service's own environment is among
 * them. They keep programs from waiting for someone at a terminal: pagers print, prompts and editors end at once.
 * Text is UTF-8 by LC_CTYPE alone, as PEP 538 has it, since a shell reads a file for each other category of LANG; with
 * SHELL it need not look for its user.
 */
export const COMMAND_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_CTYPE: "C.UTF-8",
  SHELL: "/bin/bash",
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  SSH_ASKPASS: "/bin/false",
  GIT_ASKPASS: "/bin/false",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  NPM_CONFIG_YES: "true",
  NPM_CONFIG_FUND: "false",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
  PYTHONUNBUFFERED: "1",
};
