import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { checkPorts, createSut, importSuts, type NewSut } from '../../../commands/create-suts.ts'
import { releasePort } from '../../../commands/listen-ports.ts'
import { QUARTER, TURNAROUND_MAX } from '../../../domain/calendar/window.ts'
import { boolean, roundedUp, rowsOf, text } from '../../../domain/codec/codec.ts'
import { closedSchema } from '../../../domain/codec/json-schema.ts'
import { closed } from '../../../domain/codec/object-codec.ts'
import { monitoringInterval, SUT_FIELDS, sutFields, tags, tagsPatch } from '../../../domain/events/sut.ts'
import { bodyProblem, type Problem, refuse } from '../../../domain/failure.ts'
import { offlineCauseOf } from '../../../domain/monitoring/status.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { type SutCommand, sutDecider } from '../../../domain/sut/decide.ts'
import { isAssignedId, sutStream } from '../../../domain/values/ids.ts'
import { pick } from '../../../domain/values/pick.ts'
import type { Vault } from '../../../vault/vault.ts'
import { type BodyOf, bodyOf, withoutBody } from '../../codecs/body.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/call.ts'
import { refusal } from '../../protocol/problem.ts'
import { administrators, post, type Route, refTo } from '../../protocol/route.ts'
import { documentResponse } from '../../response/objects.ts'
import { notFound } from '../../response/visibility.ts'
import { OF_SUT } from '../create-reservation.ts'
import { importResponse } from '../list-response.ts'
import { type Show, withVisible } from '../object-reads.ts'
import type { Parts } from '../parts.ts'

const READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring']
const fields = { ...sutFields, turnaround: roundedUp(QUARTER, 0, TURNAROUND_MAX) }
const { name, address, port, sut_type, ...others } = fields
const secrets = { password: text(0, 4096), user_name: text(0, 4096) }
const SutCreation = closed('SutCreation', { name, address, port, sut_type }, { ...others, ...secrets, tags })
export const sutCreationBody = bodyOf(SutCreation, { readOnly: READ_ONLY })

export const sutUpdateBody = bodyOf(closed('SutUpdate', {}, { ...fields, ...secrets }), {
  readOnly: [...READ_ONLY, 'tags'],
})

/** SUTs in one import. */
export const SUT_ROWS_MAX = 500
const rows = { suts: rowsOf(SutCreation, SUT_ROWS_MAX, 'SUTs') }
const sutImportBody = bodyOf(closed('SutImport', rows, { dry_run: boolean }), { readOnly: READ_ONLY })

/** Names with values, or with null to remove a tag (RFC 7396). */
export const tagsBody = bodyOf(tagsPatch)

/** Seconds between probes unless the body says otherwise. */
const INTERVAL = 60
const monitored = { interval: monitoringInterval }

const noIntervalIfDisabled = (body: unknown): readonly Problem[] => {
  const { enabled, interval } = Object(body) as { readonly enabled?: unknown; readonly interval?: unknown }
  return enabled === false && interval !== undefined
    ? [bodyProblem('invalid', 'interval', 'cannot be combined with "enabled": false')]
    : []
}

export const monitoringBody = bodyOf(closed('Monitoring', { enabled: boolean }, monitored), {
  lastRule: noIntervalIfDisabled,
  schema: () => ({
    oneOf: [closedSchema({ enabled: { const: true } }, monitored), closedSchema({ enabled: { const: false } })],
  }),
})

const CHECK_INTERVAL_MS = 1_000
/** SUTs whose last check is remembered. */
const CHECKED_MAX = 10_000

export const makeLastChecks = (): Parts['lastChecks'] => new LRUCache({ max: CHECKED_MAX })

const defaults = { description: '', is_active: true, manufacturer: '', model: '', os: '', version: '' }

const newSut = (vault: Vault, { password, user_name, tags, ...fields }: BodyOf<typeof sutCreationBody>): NewSut => ({
  values: { ...defaults, ...pick(fields, SUT_FIELDS) },
  tags,
  seal: (sutId) => vault.seal(sutId, { password, user_name }),
})

const change = async (
  { runner, objects }: Parts,
  call: Call,
  command: SutCommand,
  secrets?: readonly SealedSecret[],
): RouteResult => {
  const { id } = call
  if (!isAssignedId(id)) return E.left(notFound('sut'))
  const stream = sutStream(id)
  const result = await runner.run(sutDecider, stream, { command, secrets, ...envelopeOf(call) })
  if (E.isLeft(result)) return result
  return E.right(documentResponse('sut', await objects.after('sut', id, stream, result.right), false))
}

/** Creates SUTs, which get all of their ports or none. The response shows each as it was created, also to a retry. */
const importAll = async (parts: Parts, call: Call<BodyOf<typeof sutImportBody>>): RouteResult => {
  const { objects, vault, clock } = parts
  const { suts, dry_run } = call.body
  if (dry_run === true) {
    const checked = await checkPorts(parts, suts.length, clock())
    return E.isLeft(checked) ? checked : E.right(importResponse('suts', undefined, suts.length))
  }
  const imported = await importSuts(
    parts,
    envelopeOf(call),
    suts.map((sut) => newSut(vault, sut)),
  )
  if (E.isLeft(imported)) return imported
  const shown: string[] = []
  for (const { _id, outcome } of imported.right) {
    const created = await objects.after('sut', _id, sutStream(_id), { ...outcome, kind: 'recorded', revision: 0 })
    shown.push(created.document)
  }
  return E.right(importResponse('suts', shown))
}

const check: Show<Parts, Call> = async ({ checkSut, lastChecks, sinceBoot }, _call, { id, ended }) => {
  if (ended === 'retired') return refuse('sut_retired', 'The SUT has been retired and is no longer probed.')
  const now = sinceBoot()
  if (now - (lastChecks.peek(id) ?? Number.NEGATIVE_INFINITY) < CHECK_INTERVAL_MS) {
    return E.left(refusal('too_many_checks', 'This SUT was checked within the last second.'))
  }
  lastChecks.set(id, now)
  const probed = await checkSut(id)
  if (E.isLeft(probed)) return probed
  const { cause, milliseconds } = probed.right
  const reachable = offlineCauseOf(cause) === undefined
  const body = { reachable, cause: cause ?? null, milliseconds: Math.round(milliseconds) }
  return E.right({ status: 200, body: JSON.stringify(body) })
}

/** Changes a SUT's record, unless it has changed since. */
const sutChange = { roles: administrators, isConditional: true } as const
const SUT = { answer: refTo('Sut'), isTagged: true } as const

export const sutChanges: readonly Route<Parts>[] = [
  post('/api/sut/create', {
    id: 'createSut',
    summary: 'Create a SUT',
    description: 'password and user_name are stored encrypted and never returned.',
    roles: administrators,
    body: sutCreationBody,
    answer: refTo('Sut'),
    isCreation: true,
    isTagged: true,
    refusals: ['listen_ports_exhausted'],
    handler: async (parts, call) => {
      const result = await createSut(parts, envelopeOf(call), newSut(parts.vault, call.body))
      if (E.isLeft(result)) return result
      const { _id, outcome } = result.right
      return E.right(documentResponse('sut', await parts.objects.after('sut', _id, sutStream(_id), outcome), true))
    },
  }),
  post('/api/sut/import', {
    id: 'importSuts',
    summary: 'Create up to 500 SUTs',
    guide: 'importing.md',
    description:
      'All rows are checked first, and nothing is created if one has a problem. The SUTs are answered in the order of the rows, as they were created. With dry_run the answer has only their number, and nothing is created.',
    roles: administrators,
    answersRepeats: true,
    body: sutImportBody,
    answer: refTo('ImportedSuts'),
    refusals: ['listen_ports_exhausted'],
    handler: importAll,
  }),
  post('/api/sut/:id/update', {
    id: 'updateSut',
    summary: 'Update a SUT',
    guide: 'machines.md#change',
    description: 'Omitted fields keep their values.',
    ...sutChange,
    body: sutUpdateBody,
    ...SUT,
    refusals: OF_SUT,
    handler: (parts, call) => {
      const { id, body, ifMatch } = call
      const { password, user_name } = body
      const sealed = parts.vault.seal(id, { password, user_name })
      const credentials = sealed && { credentials: sealed.credentials }
      const command = { type: 'UpdateSut', values: pick(body, SUT_FIELDS), ifMatch, ...credentials } as const
      return change(parts, call, command, sealed?.secrets)
    },
  }),
  post('/api/sut/:id/tags', {
    id: 'tagSut',
    summary: 'Set and remove tags of a SUT',
    guide: 'machines.md#tags',
    description:
      'A merge patch (RFC 7396): names with values, or with null to remove a tag. A SUT has at most 64 tags.',
    ...sutChange,
    body: tagsBody,
    ...SUT,
    refusals: OF_SUT,
    handler: (parts, call) => change(parts, call, { type: 'TagSut', tags: call.body, ifMatch: call.ifMatch }),
  }),
  post('/api/sut/:id/retire', {
    id: 'retireSut',
    summary: 'Retire a SUT',
    guide: 'machines.md#take-out-of-service',
    description: 'A retired SUT can only be read. Refused while the SUT has reservations that are not over.',
    ...sutChange,
    ...withoutBody,
    ...SUT,
    refusals: ['sut_not_found', 'sut_reserved'],
    handler: async (parts, call) => {
      const retired = await change(parts, call, { type: 'RetireSut', ifMatch: call.ifMatch })
      if (E.isRight(retired)) await releasePort(parts.runner, call.id, call.requestId)
      return retired
    },
  }),
  post('/api/sut/:id/monitoring', {
    id: 'monitorSut',
    summary: 'Begin or end probing a SUT',
    guide: 'monitoring.md',
    description:
      'Berth then connects to the SUT at this interval, and its `monitoring` says whether that succeeds. A changed interval keeps the status.',
    ...sutChange,
    body: monitoringBody,
    ...SUT,
    refusals: OF_SUT,
    handler: (parts, call) => {
      const { enabled, interval = INTERVAL } = call.body
      const command = { type: 'SetMonitoring', interval: enabled ? interval : null, ifMatch: call.ifMatch } as const
      return change(parts, call, command)
    },
  }),
  post('/api/sut/:id/check', {
    id: 'checkSut',
    summary: 'Probe a SUT now',
    description:
      'Answers when the probe has ended, after 15 s at most. It counts like any other probe of a monitored SUT. Once a second per SUT.',
    roles: administrators,
    ...withoutBody,
    answer: refTo('Check'),
    refusals: [...OF_SUT, 'not_forwarded', 'too_many_checks'],
    handler: withVisible('sut', check),
  }),
]
