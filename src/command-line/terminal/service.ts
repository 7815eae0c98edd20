import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Config } from '../../app/config/config.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../app/control-socket.ts'
import { readTarget, type Target } from '../../client/service/credentials.ts'
import { LIMITS } from '../../client/service/limits.ts'
import { ClientFailure, EXIT, unreachable } from '../../client/service/output.ts'
import { type Answer, type CallOptions, makeService } from '../../client/service/service.ts'
import { listOf, opaqueId, text } from '../../domain/codec/codec.ts'
import { sutFields } from '../../domain/events/sut.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { foldName, meantBy, RESERVED_USER_IDS } from '../../domain/values/user-name.ts'
import { CommandFailure, type Terminal } from './command.ts'

/**
 * A JSON object with at least these members. A newer service may add others, which `--json` shows. Arrays and objects
 * in it come from another machine: each member that a command reads has a codec.
 */
export const answer = <R extends t.Props, O extends t.Props>(required: R, optional: O) =>
  t.intersection([t.type(required), t.partial(optional)])

/** Text of one line, as ids, names and sentences are. */
export const line = text(0, 16_384)

export const multiline = text(0, 1_000_000, { lines: true })

/** An answer that no command reads. */
export const unread = t.UnknownRecord

const Refusal = answer({ code: line, detail: line }, { errors: listOf(answer({ detail: line }, { pointer: line })) })
type Refusal = t.TypeOf<typeof Refusal>

/** The first problem of an answer, without its value. Parts of an intersection are not places in it. */
const describeProblem = (errors: t.Errors): string => {
  const { context = [], message = 'is not what was expected' } = errors[0] ?? {}
  const path = context.filter((entry, n) => n > 0 && entry.actual !== context[n - 1]?.actual).map(({ key }) => key)
  return path.length === 0 ? `the answer ${message}` : `"${path.join('.')}" ${message}`
}

/** The service at BERTH_URL, or the one that runs on BERTH_DATA. @throws CommandFailure | ClientFailure */
export const targetOf = ({ client, data }: Pick<Config, 'client' | 'data'>): Target => {
  if (client !== undefined) return readTarget(client)
  const socketPath = join(data, CONTROL_SOCKET)
  const why = socketPathProblem(socketPath)
  if (why === undefined) return { url: 'http://localhost', socketPath }
  throw new CommandFailure(
    `the service cannot be reached at ${socketPath}: ${why}; set BERTH_DATA to a short link to it`,
  )
}

/** A request for a route of the running service. */
export interface ServiceCall<A> extends Pick<CallOptions, 'accept' | 'body' | 'headers' | 'idempotencyKey'> {
  /** GET unless given. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  /** Decodes what a command reads of the answer: the service may be another than was meant, or another version. */
  readonly answer: t.Decoder<unknown, A>
}

export class CallRefused extends ClientFailure {
  readonly code: string
  readonly errors: NonNullable<Refusal['errors']>
  constructor(message: string, { code, errors = [] }: Refusal) {
    super(EXIT.refused, message)
    this.code = code
    this.errors = errors
  }
}

/** How long a request whose answer was lost is sent again. That a service is not there is said at once. */
const OUTAGE_MS = 10_000
const OWN_LIMITS = { ...LIMITS, outageMs: OUTAGE_MS, retryMs: 100, isPatient: false }
const SILENT = { stdout: () => undefined, stderr: () => undefined }

const refusalOf = ({ status, body }: Answer, name: string): ClientFailure => {
  const read = Refusal.decode(body)
  if (E.isLeft(read)) return unreachable(`what answers at ${name} is not Berth; its status is ${status}`)
  const { code, detail } = read.right
  // Variables that are left over from something else lead to another service, or ask as somebody else.
  const where = status === 401 || status === 403 ? ` The service at ${name} was asked.` : ''
  return new CallRefused(`${status} ${code}: ${detail}${where}`, read.right)
}

/** Calls a route of the running service. @throws ClientFailure that says why it is not answered, or CallRefused */
export type CallRoute = <A>(request: ServiceCall<A>) => Promise<A>

/**
 * Calls go over the socket of the service as an administrator, or to BERTH_URL as the user of BERTH_TOKEN or
 * BERTH_CREDENTIALS_FILE. A request whose answer was lost is sent again with its key, so that it acts once.
 */
export const makeCall =
  (config: Pick<Config, 'client' | 'data'>, { waitMax: outageMs = OUTAGE_MS }: Pick<Terminal, 'waitMax'>): CallRoute =>
  async ({ method = 'GET', path, answer: codec, ...asked }) => {
    const target = targetOf(config)
    const name = target.socketPath ?? target.url
    const { get, post } = makeService(target, OWN_LIMITS, SILENT)
    const given = await (method === 'POST' ? post : get)(path, { outageMs, ...asked })
    if (given.status >= 300) throw refusalOf(given, name)
    const read = codec.decode(asked.accept === undefined ? given.body : given.text)
    if (E.isRight(read)) return read.right
    // What answers in place of a service may have passed a change on.
    const why = `the answer of the service at ${name} cannot be read: ${describeProblem(read.left)}`
    throw new ClientFailure(EXIT.unreachable, why, method === 'POST')
  }

/** Objects in a response. */
const PAGE_SIZE = 1_000

/** Reads all of a list, page by page. @throws CommandFailure */
export async function* readPages<A extends { readonly _id?: unknown }>(
  call: CallRoute,
  path: string,
  { name, item, query }: { readonly name: string; readonly item: t.Type<A, unknown, unknown>; query: URLSearchParams },
): AsyncGenerator<readonly A[]> {
  const Page = answer({ [name]: listOf(item) }, {})
  const search = new URLSearchParams([...query, ['limit', String(PAGE_SIZE)]])
  for (;;) {
    const page = (await call({ path: `${path}?${search}`, answer: Page }))[name] as readonly A[]
    yield page
    if (page.length < PAGE_SIZE) return
    search.set('before', String(page.at(-1)?._id))
  }
}

export type NamedKind = 'sut' | 'user'
const NOUNS = { sut: 'SUT', user: 'user' } as const

const Named = answer({ _id: opaqueId, name: line }, { removed_at: line })

interface Candidate {
  readonly kind: NamedKind
  readonly _id: string
  readonly name: string
  /** Whether it is retired or removed. */
  readonly isGone: boolean
}

async function* readNamed(call: CallRoute, kind: NamedKind, typed: string): AsyncGenerator<Candidate> {
  if (kind === 'sut' && !sutFields.name.is(typed)) return
  const queries = kind === 'user' ? [{ removed: 'true' }] : [{ name: typed }, { name: typed, retired: 'true' }]
  for (const each of queries) {
    const list = { name: `${kind}s`, item: Named, query: new URLSearchParams(Object.entries(each)) }
    for await (const page of readPages(call, `/api/${kind}`, list))
      for (const { _id, name, removed_at } of page)
        yield { kind, _id, name, isGone: 'retired' in each || removed_at !== undefined }
  }
}

/**
 * What a command line means: by id, or else by name, in any case unless some have exactly that name. Those that are
 * retired or removed count if no other has the name.
 *
 * @param prefersGone whether those count first
 * @throws CommandFailure if there is none, or if several are meant
 */
export const findNamed = async (
  call: CallRoute,
  kinds: readonly NamedKind[],
  typed: string,
  prefersGone = false,
): Promise<Pick<Candidate, 'kind' | '_id'>> => {
  const all: Candidate[] = []
  for (const kind of kinds) for await (const each of readNamed(call, kind, typed)) all.push(each)
  const byId = all.find(({ _id }) => _id === typed)
  if (byId !== undefined) return byId
  const folded = foldName(typed)
  const [gone, standing] = [true, false].map((isGone) =>
    all.filter((each) => each.isGone === isGone && foldName(each.name) === folded),
  ) as [Candidate[], Candidate[]]
  const alike = (prefersGone ? gone.length > 0 : standing.length === 0) ? gone : standing
  const same = alike.filter(({ name }) => name === typed)
  const meant = same.length > 0 ? same : meantBy(typed, alike, ({ name }) => name)
  const [first, ...others] = meant
  const nouns = kinds.map((kind) => NOUNS[kind])
  if (first === undefined) throw new CommandFailure(`there is no ${nouns.join(' or ')} ${JSON.stringify(typed)}`)
  if (others.length === 0) return first
  const ids = meant.map(({ _id }) => _id).join(', ')
  const several = nouns.map((noun) => `${noun}s`).join(' or ')
  throw new CommandFailure(`several ${several} have the name ${JSON.stringify(typed)}; use an id: ${ids}`)
}

/** The id of a SUT or user that a command line means. @throws CommandFailure if there is none, or if several are meant */
export const findId = async (call: CallRoute, kind: NamedKind, typed: string, prefersGone = false): Promise<string> =>
  isAssignedId(typed) || RESERVED_USER_IDS.includes(typed)
    ? typed
    : (await findNamed(call, [kind], typed, prefersGone))._id
