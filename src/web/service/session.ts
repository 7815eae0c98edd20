import { type ReadonlySignal, signal } from '@preact/signals'
import { type Api, makeApi, Refused, type Schemas } from './api.ts'
import { readWhenSignedIn } from './signed-in.ts'

/** Who is signed in. The credential is in `localStorage`, which is per origin, port included; there are no cookies. */

export type Me = Schemas['User']
export type Role = Me['role']

/**
 * `checking`: at first. `out`: nobody is signed in. `in`: somebody is. `ended`: somebody was, and the page is kept
 * below the form. `unreachable`: it is not known who.
 */
export type Phase = 'checking' | 'out' | 'in' | 'ended' | 'unreachable'

export interface Session {
  readonly phase: Phase
  readonly me: Me | undefined
  /** The place in the log where it was known who that is. What is read afterwards is not older. */
  readonly since: string | undefined
  readonly error: string | undefined
  /** After too many attempts: when the next one is taken, in Unix milliseconds. */
  readonly retryAt: number | undefined
  readonly isBusy: boolean
}

type Kept = Pick<Schemas['LoginSession'], 'session' | 'expires_at'>

const KEPT = 'berth session'
const TRANSACTION = 'berth sign-on'
/** Between checks whether the session must be renewed, and the remaining time below which it is. */
const CHECK_INTERVAL_MS = 600_000
const RENEW_BELOW_MS = 6 * 3_600_000

const readKept = (): Kept | undefined => {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

const keep = ({ session, expires_at }: Kept): void =>
  localStorage.setItem(KEPT, JSON.stringify({ session, expires_at }))

const forget = (): void => localStorage.removeItem(KEPT)

const messageOf = (error: unknown): string => {
  if (!(error instanceof Refused)) throw error
  if (error.problem.code === 'too_many_attempts') return 'Too many attempts.'
  if (error.problem.code === 'no_role') return 'You have no role here. Ask an administrator.'
  if (error.problem.code === 'provider_unavailable')
    return 'The provider did not sign you in. Try again, or use a password.'
  return error.message
}

const retryAtOf = (error: unknown, now: number): number | undefined =>
  error instanceof Refused && error.problem.code === 'too_many_attempts'
    ? now + (error.retryAfter ?? 60) * 1_000
    : undefined

export interface SessionControl {
  readonly session: ReadonlySignal<Session>
  readonly isAnswered: ReadonlySignal<boolean>
  /** When the last answer came, in Unix milliseconds. */
  readonly answeredAt: ReadonlySignal<number>
  readonly api: Api
  readonly credential: () => string | undefined
  readonly signIn: (name: string, password: string) => Promise<void>
  readonly beginSingleSignOn: () => Promise<void>
  readonly signOut: (everywhere: boolean) => Promise<void>
  readonly check: () => Promise<void>
}

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

const openState = () => {
  const session = signal<Session>({
    phase: 'checking',
    me: undefined,
    since: undefined,
    error: undefined,
    retryAt: undefined,
    isBusy: false,
  })
  const isAnswered = signal(true)
  const answeredAt = signal(Date.now())
  const set = (change: Partial<Session>): void => {
    session.value = { ...session.peek(), ...change }
  }
  const onUnauthenticated = (used: string): void => {
    // Another tab may have signed in meanwhile.
    if (readKept()?.session === used) forget()
    if (session.peek().phase === 'in') set({ phase: 'ended', error: undefined })
  }
  const onAnswer = (isNow: boolean): void => {
    if (isNow) answeredAt.value = Date.now()
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
    if (readKept() === undefined) {
      set(session.peek().phase === 'ended' ? {} : { phase: 'out', me: undefined })
      return
    }
    try {
      const { value, position } = await api.get('/api/user/me')
      set({ phase: 'in', me: value, since: position, error: undefined })
    } catch (error) {
      const isOut = error instanceof Refused && error.status === 401
      set({ phase: isOut ? 'out' : 'unreachable', error: messageOf(error) })
    }
  }

const renew = async (api: Api): Promise<void> => {
  const kept = readKept()
  if (kept === undefined || Date.parse(kept.expires_at) - Date.now() > RENEW_BELOW_MS) return
  try {
    keep((await api.post('/api/login/renew')).value)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // It is tried again; a session that has ended has been noticed.
  }
}

type Returned = NonNullable<ReturnType<typeof readCallback>>

const endSingleSignOn = async (
  { set, api }: State,
  { isRefused, code, state, iss, transaction }: Returned,
  check: () => Promise<void>,
): Promise<void> => {
  // Who is signed in already stays so, whatever the provider says.
  const former = readKept()
  const out = (error: string): void | Promise<void> => (former === undefined ? set({ phase: 'out', error }) : check())
  if (isRefused) return out('The provider did not sign you in. Try again, or use a password.')
  if (code === undefined || state === undefined || transaction === null)
    return out('This sign-in did not start in this tab. Start again.')
  if (former === undefined) set({ phase: 'out' })
  // A former session is not sent along: a refusal would end it.
  forget()
  try {
    keep(
      (
        await api.post('/api/login/oidc/finish', {
          body: { code, state, transaction, ...(iss !== undefined && { iss }) },
        })
      ).value,
    )
  } catch (error) {
    if (former === undefined) throw error
    keep(former)
  }
  await check()
}

export const openSession = (): SessionControl => {
  const state = openState()
  const { session, isAnswered, answeredAt, set, api } = state
  const check = makeCheck(state)
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    set({ isBusy: true, error: undefined, retryAt: undefined })
    try {
      await run()
    } catch (error) {
      set({ error: messageOf(error), retryAt: retryAtOf(error, Date.now()) })
    } finally {
      set({ isBusy: false })
    }
  }
  // Another tab has signed in or out.
  addEventListener('storage', ({ key }) => {
    if (key === KEPT || key === null) void check()
  })
  setInterval(() => void renew(api), CHECK_INTERVAL_MS)
  const returned = readCallback()
  if (returned === undefined) void renew(api).then(check)
  else void attempt(() => endSingleSignOn(state, returned, check))

  return {
    session,
    isAnswered,
    answeredAt,
    api,
    check,
    credential: () => readKept()?.session,
    signIn: (name, password) =>
      attempt(async () => {
        // A former session is not sent along: the answer to a wrong password would end it.
        forget()
        keep((await api.post('/api/login', { body: { name, password } })).value)
        await check()
      }),
    beginSingleSignOn: () =>
      attempt(async () => {
        const { value } = await api.post('/api/login/oidc/start')
        sessionStorage.setItem(TRANSACTION, value.transaction)
        location.assign(value.url)
      }),
    signOut: (everywhere) =>
      attempt(async () => {
        await api.post('/api/logout', { body: { everywhere } })
        forget()
        set({ phase: 'out', me: undefined, error: undefined })
      }),
  }
}
