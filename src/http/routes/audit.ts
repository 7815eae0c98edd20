import * as E from 'fp-ts/lib/Either.js'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { makeTreeReader, type TreeReader } from '../../audit/merkle-tree.ts'
import { type Signer, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { described, matching } from '../../domain/codec/codec.ts'
import { type Failure, failure, invalid } from '../../domain/failure.ts'
import { LISTEN_PORTS_STREAM } from '../../domain/values/ids.ts'
import { previousPosition, type StorePosition, toPublicPosition } from '../../domain/values/position.ts'
import { NO_STREAM } from '../../event-store/event-store.ts'
import type { LogIndex } from '../../read-models/tables/log-index.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import { LIMIT, paging } from '../codecs/lists.ts'
import { inQuery, parametersOf, type QueryOf, wholeNumber } from '../codecs/query.ts'
import { type Declaration, everyone, get, overseers, refTo } from '../protocol/declaration.ts'
import { refusal } from '../protocol/problem.ts'
import type { Call, RouteResult } from '../protocol/route.ts'
import { viewsBehind } from '../response/objects.ts'
import type { Parts } from './parts.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const eventId = matching('event id', UUID, 'must be an event id like 018f36f0-1e2b-7c3d-9a4b-0123456789ab')
const size = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const inclusionQuery = parametersOf(
  { size: described(size, 'The size of the tree; by default the size of the log.') },
  { event: described(eventId, 'The id of an event.') },
)
const consistencyQuery = parametersOf(
  { to: described(size, 'The later size; by default the size of the log.') },
  { from: described(size, 'The earlier size.') },
)
const leavesQuery = parametersOf({
  from: described(size, 'The position of the first; by default 0.'),
  limit: paging.limit,
})

export const LEAVES_TYPE = 'application/x-ndjson'
/** Characters after which a page of leaves ends. */
const PAGE_MAX = 4 * 1024 * 1024

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

const beyond = (name: string, of: number): Failure =>
  invalid([inQuery(name, `is beyond the end of the log, which has ${of} events`)])

/** The log as of one request. */
interface LogView {
  readonly log: LogIndex
  readonly tree: TreeReader
  /** The number of events. */
  readonly events: number
}

type ProofResult = Awaited<RouteResult>
type MakeProof = (over: LogView) => ProofResult | RouteResult

const proofResult = (body: string, events: number): ProofResult =>
  E.right({ status: 200, body, ...(events > 0 && { position: toPublicPosition(events - 1) }) })

const inclusion = async (
  { event, size }: QueryOf<typeof inclusionQuery>,
  { log, tree, events }: LogView,
  store: Parts['store'],
): RouteResult => {
  const of = size ?? events
  if (of > events) return E.left(beyond('size', events))
  const index = log.positionOf(event)
  if (index === undefined) return E.left(refusal('event_not_found', 'No event has this id.'))
  if (index >= of) {
    return E.left(invalid([inQuery('size', `must be greater than ${index}, the position of the event`)]))
  }
  const hashes = tree.inclusion(index, of).map(base64)
  const leaf_hash = base64(log.node(0, index))
  const record = await store.recordAt(log.storePositionAt(index) as StorePosition)
  if (record === undefined) return E.left(failure('unavailable', 'The log no longer has this event.'))
  const proof = { tree_size: of, leaf_index: index, leaf_hash, leaf: record.text, hashes }
  return proofResult(JSON.stringify(proof), events)
}

const consistency = ({ from, to: asked }: QueryOf<typeof consistencyQuery>, { tree, events }: LogView): ProofResult => {
  const to = asked ?? events
  if (to > events) return E.left(beyond('to', events))
  if (from > to) return E.left(invalid([inQuery('from', `must be at most ${to}, the size of the later tree`)]))
  return proofResult(JSON.stringify({ from, to, hashes: tree.consistency(from, to).map(base64) }), events)
}

/** The leaves of the tree, one a line: the events as they are stored. A page that is not full is followed by others. */
const leaves = async (
  { from = 0, limit = LIMIT }: QueryOf<typeof leavesQuery>,
  { log, events }: LogView,
  store: Parts['store'],
): RouteResult => {
  if (from > events) return E.left(beyond('from', events))
  const end = Math.min(events, from + limit)
  let [next, body] = [from, '']
  if (next < end) {
    const after = log.storePositionAt(previousPosition(toPublicPosition(from))) as StorePosition
    for await (const page of store.records(after)) {
      for (const { text } of page.slice(0, end - next)) {
        if (body.length >= PAGE_MAX) return proofResult(body, events)
        body += `${text}\n`
        next++
      }
      if (next >= end) break
    }
  }
  return proofResult(body, events)
}

/** The verifiers' keys, one a line, newest first. The stream of the log's version has the former ones. */
export const readVerifierKeys = async (store: Parts['store'], signer: Signer): Promise<string> => {
  const former: string[] = []
  for await (const page of store.readStream(LISTEN_PORTS_STREAM, NO_STREAM)) {
    for (const { type, data } of page) {
      if (type !== 'AuditKeyReplaced') continue
      former.unshift(data.verifier_key, ...(data.replaces === undefined ? [] : [data.replaces]))
    }
  }
  return [...new Set([writeVerifier(verifierOf(signer)), ...former])].map((key) => `${key}\n`).join('')
}

/** Answers over the Merkle tree stored with the views, which then includes everything answered so far. */
const over = async ({ objects, views }: Parts, answer: MakeProof): RouteResult => {
  const reached = await objects.reached()
  if (E.isLeft(reached)) return reached
  const log = views.log()
  if (log === undefined)
    return E.left(failure('unavailable', 'Proofs are unavailable while the views cannot be written.'))
  return answer({ log, tree: makeTreeReader(log.node), events: log.size() })
}

/** Catches up with the store before refusing: another instance may have written the event. */
const caughtUp = async (parts: Parts, answer: MakeProof): RouteResult => {
  const first = await over(parts, answer)
  if (E.isRight(first)) return first
  return (await waitForHead(parts.views, parts.store)) ? over(parts, answer) : E.left(viewsBehind())
}

const checkpoint = (parts: Parts) =>
  over(parts, ({ tree, events }) => proofResult(signCheckpoint(events, tree.head(events), parts.signer), events))

type Asking<D> = Call<unknown, QueryOf<D>>

export const auditRoutes: readonly Declaration<Parts>[] = [
  get({
    path: '/api/audit/checkpoint',
    id: 'readCheckpoint',
    summary: 'Read the signed checkpoint',
    description: 'The head of the Merkle tree over the log, as a signed note (C2SP tlog-checkpoint).',
    roles: overseers,
    mediaType: 'text/plain; charset=utf-8',
    answer: { type: 'string' },
    handler: checkpoint,
  }),
  get({
    path: '/api/audit/key',
    id: 'readVerifierKeys',
    summary: "Read the verifiers' keys",
    description:
      'The keys that verify checkpoints, one a line, as signed notes have them: the one that signs now first.',
    roles: everyone,
    mediaType: 'text/plain; charset=utf-8',
    answer: { type: 'string' },
    handler: async ({ verifierKeys }: Parts) => E.right({ status: 200, body: await verifierKeys() }),
  }),
  get({
    path: '/api/audit/leaves',
    id: 'readLeaves',
    summary: 'Read the leaves of the Merkle tree',
    description:
      'The events as they are stored, one a line, from a position on: what the leaf hashes of a checkpoint are made of. A page may be short; go on after as many lines as it has. An empty one is the end.',
    roles: overseers,
    mediaType: LEAVES_TYPE,
    query: leavesQuery,
    answer: { type: 'string' },
    handler: (parts: Parts, { query }: Asking<typeof leavesQuery>) =>
      caughtUp(parts, (from) => leaves(query, from, parts.store)),
  }),
  get({
    path: '/api/audit/inclusion',
    id: 'proveInclusion',
    summary: 'Prove that an event is in the log (RFC 6962)',
    roles: overseers,
    query: inclusionQuery,
    answer: refTo('Inclusion'),
    refusals: ['event_not_found'],
    handler: (parts: Parts, { query }: Asking<typeof inclusionQuery>) =>
      caughtUp(parts, (from) => inclusion(query, from, parts.store)),
  }),
  get({
    path: '/api/audit/consistency',
    id: 'proveConsistency',
    summary: 'Prove that the log has only grown between two sizes (RFC 6962)',
    roles: overseers,
    query: consistencyQuery,
    answer: refTo('Consistency'),
    handler: (parts: Parts, { query }: Asking<typeof consistencyQuery>) =>
      caughtUp(parts, (from) => consistency(query, from)),
  }),
]
