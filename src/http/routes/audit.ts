import * as E from 'fp-ts/lib/Either.js'
import { signCheckpoint } from '../../audit/checkpoint.ts'
import { makeTreeReader, type TreeReader } from '../../audit/merkle-tree.ts'
import { type Signer, verifierOf, writeVerifier } from '../../audit/signed-note.ts'
import { described, matching } from '../../domain/codec/codec.ts'
import { type Failure, refuse } from '../../domain/failure.ts'
import { LISTEN_PORTS_STREAM } from '../../domain/values/ids.ts'
import { previousPosition, type StorePosition, toPublicPosition } from '../../domain/values/position.ts'
import { NO_STREAM } from '../../event-store/event-store.ts'
import type { LogIndex } from '../../read-models/tables/log-index.ts'
import { waitForHead } from '../../read-models/wait-for-head.ts'
import { LIMIT_DEFAULT, paging } from '../codecs/lists.ts'
import { type QueryOf, queryOf, refuseParameter, wholeNumber } from '../codecs/query.ts'
import type { Call, RouteResult } from '../protocol/call.ts'
import { type Refusal, refusal } from '../protocol/problem.ts'
import { everyone, get, overseers, type Route, refTo } from '../protocol/route.ts'
import { viewsBehind } from '../response/objects.ts'
import type { Parts } from './parts.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const eventId = matching('event id', UUID, 'must be an event id like 018f36f0-1e2b-7c3d-9a4b-0123456789ab')
const size = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const inclusionQuery = queryOf(
  { size: described(size, 'The size of the tree; by default the size of the log.') },
  { required: { event: described(eventId, 'The id of an event.') } },
)
const consistencyQuery = queryOf(
  { to: described(size, 'The later size; by default the size of the log.') },
  { required: { from: described(size, 'The earlier size.') } },
)
const leavesQuery = queryOf({
  from: described(size, 'The position of the first; by default 0.'),
  limit: paging.limit,
})

const LEAVES_TYPE = 'application/x-ndjson'
/** Characters after which a page of leaves ends. */
const PAGE_MAX = 4 * 1024 * 1024

const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')

const beyond = (name: string, of: number): E.Either<Failure, never> =>
  refuseParameter(name, `is beyond the end of the log, which has ${of} events`)

/** The log as of one request, with the Merkle tree that is stored with the views. */
interface LogView {
  readonly log: LogIndex
  readonly tree: TreeReader
  readonly events: number
}

type Prove<Q> = (view: LogView, query: Q, parts: Parts) => Promise<E.Either<Refusal, string>>

/**
 * Answers over the log, with everything answered so far. Catches up with the store before refusing: another instance may
 * have written what is asked for.
 */
const over =
  <Q>(prove: Prove<Q>) =>
  async (parts: Parts, { query }: Call<unknown, Q>): RouteResult => {
    const { objects, views, store } = parts
    const answer = async (): RouteResult => {
      const reached = await objects.reached()
      if (E.isLeft(reached)) return reached
      const log = views.log()
      const events = log?.size() ?? 0
      if (log === undefined || events <= reached.right) {
        return refuse('unavailable', 'Proofs are unavailable while the views cannot be written.')
      }
      const proof = await prove({ log, tree: makeTreeReader(log.node), events }, query, parts)
      const position = events > 0 && { position: toPublicPosition(events - 1) }
      return E.isLeft(proof) ? proof : E.right({ status: 200, body: proof.right, ...position })
    }
    const first = await answer()
    if (E.isRight(first)) return first
    return (await waitForHead(views, store)) ? answer() : E.left(viewsBehind())
  }

const checkpoint: Prove<unknown> = async ({ tree, events }, _, { signer }) =>
  E.right(signCheckpoint(events, tree.head(events), signer))

const inclusion: Prove<QueryOf<typeof inclusionQuery>> = async ({ log, tree, events }, { event, size }, { store }) => {
  const of = size ?? events
  if (of > events) return beyond('size', events)
  const index = log.positionOf(event)
  if (index === undefined) return E.left(refusal('event_not_found', 'No event has this id.'))
  if (index >= of) return refuseParameter('size', `must be greater than ${index}, the position of the event`)
  const hashes = tree.inclusion(index, of).map(base64)
  const leaf_hash = base64(log.node(0, index))
  const record = await store.recordAt(log.storePositionAt(index) as StorePosition)
  if (record === undefined) return refuse('unavailable', 'The log no longer has this event.')
  return E.right(JSON.stringify({ tree_size: of, leaf_index: index, leaf_hash, leaf: record.text, hashes }))
}

const consistency: Prove<QueryOf<typeof consistencyQuery>> = async ({ tree, events }, { from, to = events }) => {
  if (to > events) return beyond('to', events)
  if (from > to) return refuseParameter('from', `must be at most ${to}, the size of the later tree`)
  return E.right(JSON.stringify({ from, to, hashes: tree.consistency(from, to).map(base64) }))
}

/** The leaves of the tree, one a line: the events as they are stored. A page that is not full is followed by others. */
const leaves: Prove<QueryOf<typeof leavesQuery>> = async ({ log, events }, query, { store }) => {
  const { from = 0, limit = LIMIT_DEFAULT } = query
  if (from > events) return beyond('from', events)
  const end = Math.min(events, from + limit)
  let [next, body] = [from, '']
  if (next === end) return E.right(body)
  const after = log.storePositionAt(previousPosition(toPublicPosition(from))) as StorePosition
  for await (const page of store.records(after)) {
    for (const { text } of page.slice(0, end - next)) {
      if (body.length >= PAGE_MAX) return E.right(body)
      body += `${text}\n`
      next++
    }
    if (next >= end) break
  }
  return E.right(body)
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

export const auditRoutes: readonly Route<Parts>[] = [
  get('/api/audit/checkpoint', {
    id: 'readCheckpoint',
    summary: 'Read the signed checkpoint',
    guide: 'proof.md',
    description: 'The head of the Merkle tree over the log, as a signed note (C2SP tlog-checkpoint).',
    roles: overseers,
    mediaType: 'text/plain; charset=utf-8',
    answer: { type: 'string' },
    handler: over(checkpoint),
  }),
  get('/api/audit/key', {
    id: 'readVerifierKeys',
    summary: "Read the verifiers' keys",
    description:
      'The keys that verify checkpoints, one a line, as signed notes have them: the one that signs now first.',
    roles: everyone,
    mediaType: 'text/plain; charset=utf-8',
    answer: { type: 'string' },
    handler: async ({ verifierKeys }: Parts) => E.right({ status: 200, body: await verifierKeys() }),
  }),
  get('/api/audit/leaves', {
    id: 'readLeaves',
    summary: 'Read the leaves of the Merkle tree',
    description:
      'The events as they are stored, one a line, from a position on: what the leaf hashes of a checkpoint are made of. A page may be short; go on after as many lines as it has. An empty one is the end.',
    roles: overseers,
    mediaType: LEAVES_TYPE,
    query: leavesQuery,
    answer: { type: 'string' },
    handler: over(leaves),
  }),
  get('/api/audit/inclusion', {
    id: 'proveInclusion',
    summary: 'Prove that an event is in the log (RFC 6962)',
    roles: overseers,
    query: inclusionQuery,
    answer: refTo('Inclusion'),
    refusals: ['event_not_found'],
    handler: over(inclusion),
  }),
  get('/api/audit/consistency', {
    id: 'proveConsistency',
    summary: 'Prove that the log has only grown between two sizes (RFC 6962)',
    roles: overseers,
    query: consistencyQuery,
    answer: refTo('Consistency'),
    handler: over(consistency),
  }),
]
