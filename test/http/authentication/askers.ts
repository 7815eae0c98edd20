/** Who asks in the tests of roles, and what is expected of them: the columns of the table in roles.ts. */

/** Who sends the request, and who holds the reservation or is the user it is about. alice and bob are testers. */
const UNSCOPED = {
  'an administrator (own reservation)': ['admin', 'admin'],
  'an administrator (another’s reservation)': ['admin', 'alice'],
  'a tester (own reservation)': ['alice', 'alice'],
  'a tester (another’s reservation)': ['alice', 'bob'],
  'an auditor (own reservation)': ['audrey', 'audrey'],
  'an auditor (another’s reservation)': ['audrey', 'alice'],
} as const
export type Asker = keyof typeof UNSCOPED

export const SCOPE = { text: 'team=qa1', tags: { team: 'qa1' } } as const

/** scott is a tester whose scope has the SUT of the request, or has not. hugo holds reservations outside only. */
const SCOPED = {
  'a tester with a scope (own reservation)': ['scott', 'scott'],
  'a tester with a scope (another’s reservation)': ['scott', 'alice'],
  'a tester with a scope (another’s reservation outside)': ['scott', 'hugo'],
} as const
export type ScopedAsker = keyof typeof SCOPED

export const ASKERS: Readonly<Record<Asker | ScopedAsker, readonly [name: string, holder: string]>> = {
  ...UNSCOPED,
  ...SCOPED,
}

export const MAY = 'allowed'
export const FORBIDDEN = [403, 'forbidden']
export const NOT_THEIR_OWN = [403, 'not_your_reservation']
export const NOT_THEIR_REQUEST = [403, 'not_your_request']
/** Of those who may have a console. No reservation of this test has started. */
export const NOT_RUNNING = [409, 'reservation_not_running']
/** The service of this test has no single sign-on. */
export const NO_PROVIDER = [404, 'oidc_not_configured']
export const NO_WEB_SOCKET = [426, 'upgrade_required']
export type Expected = typeof MAY | readonly unknown[]

export const everybody = (expected: Expected): Record<Asker, Expected> => ({
  'an administrator (own reservation)': expected,
  'an administrator (another’s reservation)': expected,
  'a tester (own reservation)': expected,
  'a tester (another’s reservation)': expected,
  'an auditor (own reservation)': expected,
  'an auditor (another’s reservation)': expected,
})
const auditors = (expected: Expected) => ({
  'an auditor (own reservation)': expected,
  'an auditor (another’s reservation)': expected,
})

/** "The holder alone: administrators too get 403". */
export const HOLDER_ALONE = {
  ...everybody(NOT_RUNNING),
  'an administrator (another’s reservation)': NOT_THEIR_OWN,
  'a tester (another’s reservation)': NOT_THEIR_OWN,
  ...auditors(FORBIDDEN),
}

/** "auditor: read everything; tester: read SUTs and reservations" */
export const READ = everybody(MAY)
/** "reserve for its own user_id only (403 otherwise); cancel and extend its own"; an auditor may "write nothing" */
export const RESERVE = { ...READ, 'a tester (another’s reservation)': NOT_THEIR_OWN, ...auditors(FORBIDDEN) }
/** The same, of requests that wait. */
export const WAIT = { ...RESERVE, 'a tester (another’s reservation)': NOT_THEIR_REQUEST }
/** "administrator: everything", which the others are not said to do */
export const MANAGE = {
  ...everybody(FORBIDDEN),
  'an administrator (own reservation)': MAY,
  'an administrator (another’s reservation)': MAY,
} as const
/** "tester: ... its own, read their history; auditor: ... histories" */
export const READ_THEIR_OWN = { ...READ, 'a tester (another’s reservation)': NOT_THEIR_OWN }
/** "(administrators, auditors, oneself)", of the history of a user */
export const READ_OF_THEMSELVES = { ...READ, 'a tester (another’s reservation)': FORBIDDEN }
/** "(administrators: ...)": everybody's own, and as an administrator those of others */
export const TOKENS = { ...READ_OF_THEMSELVES, 'an auditor (another’s reservation)': FORBIDDEN }
export const OWN_TOKENS = {
  'an administrator (another’s reservation)': FORBIDDEN,
  'a tester (another’s reservation)': FORBIDDEN,
  'an auditor (another’s reservation)': FORBIDDEN,
} as const
/** "(administrators, auditors)", as it is said of metrics */
export const OVERSEE = { ...MANAGE, ...auditors(MAY) }
