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

/** By the first word of a path, without `/api`. What is not here is about the interface itself. */
const BY_WORD: Readonly<Record<string, keyof typeof DESCRIPTIONS>> = {
  ...{ sut: 'SUTs', availability: 'SUTs', outages: 'SUTs' },
  ...{ sut_reservation: 'Reservations', sut_reservation_series: 'Reservations', sut_request: 'Reservations' },
  ...{ console: 'Reservations', session: 'Sessions', user: 'Users', login: 'Users', logout: 'Users' },
  ...{ events: 'History and feed', changes: 'History and feed', audit: 'Proof', health: 'Service', metrics: 'Service' },
}

/** The group of the operations of a path. */
export const tagOf = (path: string): keyof typeof DESCRIPTIONS => {
  if (path.endsWith('/history')) return 'History and feed'
  if (path === '/login/callback') return 'Documents'
  return BY_WORD[path.replace(/^\/api/, '').split('/')[1] ?? ''] ?? 'Documents'
}
