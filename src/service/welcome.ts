import type { FirstAdministrator } from '../users/first-administrator.ts'

/** Shown once at a terminal: the password and what to try. */
export const welcome = (url: string, { name, password }: FirstAdministrator): string => {
  const shown = password === undefined ? '(the one you set)' : `${password}      (shown this once)`
  return `
  Berth listens on ${url}

    user      ${name}
    password  ${shown}

  Try:  curl -u '${name}:${password ?? 'PASSWORD'}' ${url}/api/user/me
  Next: "Five minutes" in README.md, pasted into a second terminal.

`
}
