/** Signs people in and out. See README.md. */

interface Session {
  readonly session: string
  /** RFC 3339. */
  readonly expires_at: string
}

type Answer = Readonly<Record<string, string>>

/** An answer of the service that is no success, in words. */
class Refused extends Error {
  readonly status: number
  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
  }
}

const SESSION = 'berth session'
const TRANSACTION = 'berth sign-on'
/** Milliseconds between checks whether the session must be renewed, and the remaining time below which it is. */
const [CHECK_EVERY, RENEW_BELOW] = [600_000, 6 * 3_600_000]

const find = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E

const kept = (): Session | undefined => {
  try {
    return JSON.parse(localStorage.getItem(SESSION) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

const keep = ({ session, expires_at }: Answer): void =>
  localStorage.setItem(SESSION, JSON.stringify({ session, expires_at }))

const forget = (): void => localStorage.removeItem(SESSION)

const headersOf = (hasBody: boolean): Record<string, string> => {
  const session = kept()
  return {
    ...(hasBody && { 'Content-Type': 'application/json' }),
    ...(session !== undefined && { Authorization: `Bearer ${session.session}` }),
  }
}

const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const options: RequestInit = { method, headers: headersOf(body !== undefined), credentials: 'omit', ...sent }
  const response = await fetch(path, options).catch(() => {
    throw new Refused(0, 'Berth does not answer. Try again.')
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refused(response.status, String(answer.detail ?? `The answer is ${response.status}.`))
  return answer
}

const notify = (text: string): void => {
  find('notice').textContent = text
}

const showSignedOut = (): void => {
  find('try-again').hidden = true
  find('signed-in').hidden = true
  find('signed-out').hidden = false
  find('name').focus()
}

const showSignedIn = ({ name = '', role = '' }: Answer): void => {
  find('who').textContent = name
  find('role').textContent = role
  find('try-again').hidden = true
  find('signed-out').hidden = true
  find('signed-in').hidden = false
}

/** Runs what a person has asked for, and shows why it failed. A session that has ended is forgotten. */
const attempt = async (run: () => Promise<void>): Promise<void> => {
  notify('')
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    notify(error.message)
    if (error.status === 401 || kept() === undefined) {
      forget()
      showSignedOut()
    } else if (find('signed-in').hidden) find('try-again').hidden = false
  }
}

const renewIfNeeded = async (): Promise<void> => {
  const session = kept()
  if (session === undefined || Date.parse(session.expires_at) - Date.now() > RENEW_BELOW) return
  keep(await call('POST', '/api/login/renew'))
}

const show = async (): Promise<void> => {
  if (kept() === undefined) return showSignedOut()
  await renewIfNeeded()
  showSignedIn(await call('GET', '/api/user/me'))
}

const signIn = async (): Promise<void> => {
  const password = find<HTMLInputElement>('password')
  // Do not send a previous session along: the answer to a wrong password would end it.
  forget()
  keep(await call('POST', '/api/login', { name: find<HTMLInputElement>('name').value, password: password.value }))
  password.value = ''
  await show()
}

const signOut = async (everywhere: boolean): Promise<void> => {
  await call('POST', '/api/logout', { everywhere })
  forget()
  showSignedOut()
}

const beginSingleSignOn = async (): Promise<void> => {
  const { url = '', transaction = '' } = await call('POST', '/api/login/oidc/start')
  sessionStorage.setItem(TRANSACTION, transaction)
  location.assign(url)
}

/** The provider has sent the browser back. What it sent is removed from the address before anything else. */
const endSingleSignOn = async (): Promise<void> => {
  const parameters = new URLSearchParams(location.search)
  const transaction = sessionStorage.getItem(TRANSACTION)
  sessionStorage.removeItem(TRANSACTION)
  history.replaceState(null, '', '/')
  if (parameters.has('error')) throw new Refused(401, 'The provider has not signed you in.')
  const [code, state, iss] = ['code', 'state', 'iss'].map((name) => parameters.get(name) ?? undefined)
  if (code === undefined || state === undefined || transaction === null)
    throw new Refused(401, 'This sign-in did not begin in this tab. Begin again.')
  forget()
  keep(await call('POST', '/api/login/oidc/finish', { code, state, iss, transaction }))
  await show()
}

find('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(signIn)
})
find('single-sign-on').addEventListener('click', () => void attempt(beginSingleSignOn))
find('try-again').addEventListener('click', () => void attempt(show))
find('sign-out').addEventListener('click', () => void attempt(() => signOut(false)))
find('sign-out-everywhere').addEventListener('click', () => void attempt(() => signOut(true)))
// Another tab has signed in or out.
addEventListener('storage', ({ key }) => {
  if (key === SESSION || key === null) void attempt(show)
})
setInterval(() => void attempt(renewIfNeeded), CHECK_EVERY)
find('single-sign-on').hidden = document.documentElement.dataset.singleSignOn === undefined
void attempt(location.pathname === '/login/callback' ? endSingleSignOn : show)
