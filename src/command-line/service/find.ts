import type * as t from 'io-ts'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { sutFields } from '../../domain/events/sut.ts'
import { isAssignedId } from '../../domain/values/ids.ts'
import { foldName, meantBy, RESERVED_USER_IDS } from '../../domain/values/user-name.ts'
import { CommandFailure } from '../terminal/command.ts'
import { answer, type CallRoute, line } from './call.ts'

/** Objects in a response. */
const PAGE = 1_000

/** Reads all of a list, page by page. @throws CommandFailure */
export async function* readPages<A extends { readonly _id?: unknown }>(
  call: CallRoute,
  path: string,
  { name, item, query }: { readonly name: string; readonly item: t.Type<A, unknown, unknown>; query: URLSearchParams },
): AsyncGenerator<readonly A[]> {
  const Page = answer({ [name]: listOf(item) }, {})
  const asked = new URLSearchParams([...query, ['limit', String(PAGE)]])
  for (;;) {
    const page = (await call({ path: `${path}?${asked}`, answer: Page }))[name] as readonly A[]
    yield page
    if (page.length < PAGE) return
    asked.set('before', String(page.at(-1)?._id))
  }
}

/** What is found by name. */
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

/** Those that a name means: in any case, unless some have exactly that name. */
const selectMeant = (typed: string, all: readonly Candidate[]): readonly Candidate[] => {
  const folded = foldName(typed)
  const alike = all.filter(({ name }) => foldName(name) === folded)
  const same = alike.filter(({ name }) => name === typed)
  return same.length > 0 ? same : meantBy(typed, alike, ({ name }) => name)
}

/**
 * What a command line means: by id, or else by name. Those that are retired or removed count if no other has the name.
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
  for (const isGone of [prefersGone, !prefersGone]) {
    const meant = selectMeant(
      typed,
      all.filter((each) => each.isGone === isGone),
    )
    const [first] = meant
    if (first !== undefined && meant.length === 1) return first
    const ids = meant.map(({ _id }) => _id).join(', ')
    const nouns = kinds.map((kind) => `${NOUNS[kind]}s`).join(' or ')
    if (first !== undefined)
      throw new CommandFailure(`several ${nouns} have the name ${JSON.stringify(typed)}; use an id: ${ids}`)
  }
  const noun = kinds.map((kind) => NOUNS[kind]).join(' or ')
  throw new CommandFailure(`there is no ${noun} ${JSON.stringify(typed)}`)
}

/** The id of a SUT or user that a command line means. @throws CommandFailure if there is none, or if several are meant */
export const findId = async (call: CallRoute, kind: NamedKind, typed: string, prefersGone = false): Promise<string> =>
  isAssignedId(typed) || RESERVED_USER_IDS.includes(typed)
    ? typed
    : (await findNamed(call, [kind], typed, prefersGone))._id
