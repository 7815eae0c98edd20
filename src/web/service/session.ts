/** Who is signed in. The credential is in `localStorage`, which is per origin, port included; there are no cookies. */

import { type ReadonlySignal, signal } from '@preact/signals'
import { type Api, makeApi, type Outcome, outcomeOf, type Refused, type Schemas } from './api.ts'
import { readStored, store } from './stored.ts'
import { currentTime } from './time.ts'

export type Me = Schemas['User']
export type Role = Me['role']

/**
 * `checking`: at first. `out`: nobody is signed in. `in`: somebody is. `ended`: somebody was, and the page is kept
 * below the form. `unreachable`: it is not known who.
 */
type Phase = 'checking' | 'out' | 'in' | 'ended' | 'unreachable'

export interface Session {
  readonly phase: Phase
  readonly me: Me | undefined
  /** The place in the log where it was known who that is. What is read afterwards is not older. */
  readonly since: string | undefined
  readonly error: string | undefined
}

type Kept = Pick<Schemas['LoginSession'], 'session' | 'expires_at'>

const KEPT = 'berth session'
const TRANSACTION = 'berth sign-on'
/** Between checks whether the session must be renewed, and the remaining time below which it is. */
const CHECK_INTERVAL_MS = 600_000
const RENEW_BELOW_MS = 6 * 3_600_000

const readKept = () => readStored<Kept>(KEPT)

const keep = ({ session, expires_at }: Kept): void => store(KEPT, { session, expires_at })

const forget = (): void => localStorage.removeItem(KEPT)

/** An empty entry tells other tabs that nobody has signed out: what was typed there stays, below the form. */
const markEnded = (): void => localStorage.setItem(KEPT, '')
const isMarkedEnded = (): boolean => localStorage.getItem(KEPT) === ''

const NOT_SIGNED_IN = 'The provider did not sign you in. Try again, or use a password.'

const TEXTS: Readonly<Record<string, string>> = {
  too_many_attempts: 'Too many attempts.',
  no_role: 'You have no role here. Ask an administrator.',
  provider_unavailable: NOT_SIGNED_IN,
}

export const messageOf = ({ problem, message }: Refused): string => TEXTS[problem.code] ?? message

/** What the provider has sent the browser back with. It is removed from the address before anything else. */
const readCallback = () => {
  if (location.pathname !== '/login/callback') return undefined
  const parameters = new URLSearchParams(location.search)
  const transaction = sessionStorage.getItem(TRANSACTION)
  sessionStorage.removeItem(TRANSACTION)
  history.replaceState(null, '', '/')
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => parameters.get(name) ?? undefined)
  return { isRefused: parameters.has('error'), code, state, iss, transaction }
}

type Phases = ReadonlySignal<{ readonly phase: string }>

const untilSignedIn = (session: Phases): Promise<void> =>
  new Promise((resolve) => {
    const end = session.subscribe(({ phase }) => {
      if (phase === 'ended') return
      end()
      resolve()
    })
  })

/**
 * What is read waits once the session has ended: it would only be refused, again and again, for as long as nobody signs
 * in. `isKept` tells whether there is a credential, such as one of another tab. No browser is needed here.
 */
export const readWhenSignedIn = (api: Api, session: Phases, isKept: () => boolean): Api => ({
  ...api,
  get: async (path, sent) => {
    if (session.peek().phase === 'ended' && !isKept()) await untilSignedIn(session)
    return api.get(path, sent)
  },
})

const openState = () => {
  const session = signal<Session>({ phase: 'checking', me: undefined, since: undefined, error: undefined })
  const isAnswered = signal(true)
  /** When the last answer came, in Unix milliseconds. */
  const answeredAt = signal(currentTime())
  const set = (change: Partial<Session>): void => {
    session.value = { ...session.peek(), ...change }
  }
  const onUnauthenticated = (used: string): void => {
    const kept = readKept()
    // Somebody has signed in since, here or in another tab.
    if (kept !== undefined && kept.session !== used) return
    if (kept !== undefined) markEnded()
    if (session.peek().phase === 'in') set({ phase: 'ended', error: undefined })
  }
  const onAnswer = (isNow: boolean): void => {
    if (isNow) answeredAt.value = currentTime()
    isAnswered.value = isNow
  }
  const sending = makeApi({ session: () => readKept()?.session, onUnauthenticated, onAnswer })
  const api = readWhenSignedIn(sending, session, () => readKept() !== undefined)
  return { session, isAnswered, answeredAt, set, api }
}

type State = ReturnType<typeof openState>

const makeCheck =
  ({ session, set, api }: State) =>
  async (): Promise<void> => {
    const { phase, me } = session.peek()
    if (readKept() === undefined) {
      if (phase === 'ended') return
      return set(me !== undefined && isMarkedEnded() ? { phase: 'ended' } : { phase: 'out', me: undefined })
    }
    const { value, position, refused } = await outcomeOf(api.get('/api/user/me'))
    if (refused === undefined) set({ phase: 'in', me: value, since: position, error: undefined })
    else if (refused.status !== 401) set({ phase: 'unreachable', error: messageOf(refused) })
    else set(me === undefined ? { phase: 'out', error: messageOf(refused) } : { phase: 'ended', error: undefined })
  }

const renew = async (api: Api): Promise<void> => {
  const kept = readKept()
  if (kept === undefined || Date.parse(kept.expires_at) - currentTime() > RENEW_BELOW_MS) return
  // Where it is refused it is tried again; a session that has ended has been noticed.
  const { value } = await api.post('/api/login/renew')
  if (value !== undefined) keep(value)
}

type Returned = NonNullable<ReturnType<typeof readCallback>>

const endSingleSignOn = async (
  { set, api }: State,
  { isRefused, code, state, iss, transaction }: Returned,
  check: () => Promise<void>,
): Promise<void> => {
  // Who is signed in already stays so, whatever the provider says.
  const isSignedIn = readKept() !== undefined
  const out = async (error: string): Promise<void> => {
    if (isSignedIn) await check()
    else set({ phase: 'out', error })
  }
  if (isRefused) return out(NOT_SIGNED_IN)
  if (code === undefined || state === undefined || transaction === null)
    return out('This sign-in did not start in this tab. Start again.')
  const body = { code, state, transaction, ...(iss !== undefined && { iss }) }
  const { value, refused } = await api.post('/api/login/oidc/finish', { body, isAnonymous: true })
  if (refused !== undefined) return out(messageOf(refused))
  keep(value)
  await check()
}

export type SessionControl = ReturnType<typeof openSession>

export const openSession = () => {
  const state = openState()
  const { session, isAnswered, answeredAt, set, api } = state
  const check = makeCheck(state)
  // Another tab has signed in or out.
  addEventListener('storage', ({ key }) => {
    if (key === KEPT || key === null) void check()
  })
  setInterval(() => void renew(api), CHECK_INTERVAL_MS)
  const returned = readCallback()
  if (returned === undefined) void renew(api).then(check)
  else void endSingleSignOn(state, returned, check)

  return {
    ...{ session: session as ReadonlySignal<Session>, isAnswered, answeredAt, api, check },
    credential: () => readKept()?.session,
    signIn: async (name: string, password: string): Promise<Outcome<object>> => {
      const outcome = await api.post('/api/login', { body: { name, password }, isAnonymous: true })
      if (outcome.value === undefined) return outcome
      keep(outcome.value)
      await check()
      return outcome
    },
    beginSingleSignOn: async (): Promise<Outcome<object>> => {
      const outcome = await api.post('/api/login/oidc/start')
      if (outcome.value === undefined) return outcome
      sessionStorage.setItem(TRANSACTION, outcome.value.transaction)
      location.assign(outcome.value.url)
      return outcome
    },
    signOut: async (everywhere: boolean): Promise<Outcome<object>> => {
      const outcome = await api.post('/api/logout', { body: { everywhere } })
      if (outcome.refused === undefined) {
        forget()
        set({ phase: 'out', me: undefined, error: undefined })
      }
      return outcome
    },
  }
}
