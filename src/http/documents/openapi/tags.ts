/** What groups of operations are about, in the order in which a newcomer needs them. */
const DESCRIPTIONS = {
  SUTs: 'Systems under test: the machines that can be reserved. See [Machines](/guide/machines).',
  Reservations: 'Who has which SUT, from when to when. See [Reservations](/guide/reservations).',
  Sessions: 'When reservations were used, and by how many connections. See [Machines](/guide/machines).',
  Users: 'Who can sign in, who you are, and how people come and leave. See [People](/guide/people).',
  'History and feed': 'What happened, from the beginning or live. See [The feed](/guide/feed).',
  Proof: 'Evidence that nobody altered the log. See [Proof](/guide/proof).',
  Service: 'Health and metrics. See [Operating](/guide/operating).',
  Documents: 'What the service says about its interface. See [The HTTP interface](/guide/http).',
} as const

export const TAGS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({ name, description }))

/** The first that a path has. What has none is about the interface itself. */
const GROUPS: readonly (readonly [RegExp, keyof typeof DESCRIPTIONS])[] = [
  [/\/history$|^\/api\/(events|changes)$/, 'History and feed'],
  [/^\/api\/(sut_re|console)/, 'Reservations'],
  [/^\/api\/(sut|availability|outages)/, 'SUTs'],
  [/^\/api\/session/, 'Sessions'],
  [/^\/api\/(user|login|logout)/, 'Users'],
  [/^\/api\/audit/, 'Proof'],
  [/^\/(health|metrics)/, 'Service'],
]

/** The group of the operations of a path. */
export const tagOf = (path: string): string => GROUPS.find(([pattern]) => pattern.test(path))?.[1] ?? 'Documents'
