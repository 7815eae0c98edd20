import * as E from 'fp-ts/lib/Either.js'
import { createSut, type NewSut } from '../../../commands/create-sut.ts'
import { checkPorts, importSuts } from '../../../commands/import-suts.ts'
import { releasePort } from '../../../commands/listen-ports.ts'
import { SUT_FIELDS } from '../../../domain/events/sut.ts'
import type { PortRange } from '../../../domain/listen-port/decide.ts'
import type { SealedSecret } from '../../../domain/sealed-secret.ts'
import { type SutCommand, sutDecider } from '../../../domain/sut/decide.ts'
import { isAssignedId, sutStream } from '../../../domain/values/ids.ts'
import { pick } from '../../../domain/values/pick.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { MonitoringBody, SutCreation, SutUpdate, TagsBody } from '../../codecs/bodies.ts'
import type { SutImport } from '../../codecs/imports.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { documentResponse } from '../../response/objects.ts'
import { notFound } from '../../response/visibility.ts'
import { importResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'

interface SutDependencies extends Pick<Parts, 'runner' | 'objects' | 'vault' | 'store' | 'clock' | 'randomHex'> {
  readonly range: PortRange
}

/** Defaults for a new SUT. */
const defaults = { description: '', is_active: true, manufacturer: '', model: '', os: '', version: '' }

/** What a SUT is created with, from the body of a request. */
const newSut = (vault: Vault, { password, user_name, tags, ...fields }: SutCreation): NewSut => ({
  values: { ...defaults, ...pick(fields, SUT_FIELDS) },
  tags,
  seal: (sutId) => vault.seal(sutId, { password, user_name }),
})

/** Runs a command on the SUT in the path and responds with the result. */
const makeChange =
  ({ runner, objects }: Pick<SutDependencies, 'runner' | 'objects'>) =>
  async (
    call: Call,
    command: (id: string) => { command: SutCommand; secrets?: readonly SealedSecret[] | undefined },
  ): RouteResult => {
    const id = call.params.id ?? ''
    if (!isAssignedId(id)) return E.left(notFound('sut'))
    const stream = sutStream(id)
    const ended = await runner.run(sutDecider, stream, { ...command(id), ...envelopeOf(call) })
    if (E.isLeft(ended)) return ended
    return E.right(documentResponse('sut', await objects.after('sut', id, stream, ended.right), false))
  }

/** Creates SUTs, which get all of their ports or none. The response shows each as it was created, also to a retry. */
const makeImport =
  (dependencies: SutDependencies) =>
  async (call: Call<SutImport>): RouteResult => {
    const { objects, vault, clock } = dependencies
    const { suts, dry_run } = call.body
    if (dry_run === true) {
      const checked = await checkPorts(dependencies, suts.length, clock())
      return E.isLeft(checked) ? checked : E.right(importResponse('suts', undefined, suts.length))
    }
    const imported = await importSuts(
      dependencies,
      envelopeOf(call),
      suts.map((sut) => newSut(vault, sut)),
    )
    if (E.isLeft(imported)) return imported
    const shown: string[] = []
    for (const { _id, storePosition } of imported.right) {
      const created = await objects.after('sut', _id, sutStream(_id), { kind: 'recorded', revision: 0, storePosition })
      shown.push(created.document)
    }
    return E.right(importResponse('suts', shown))
  }

export const makeSutHandlers = (dependencies: SutDependencies) => {
  const { runner, objects, vault, range, randomHex } = dependencies
  const change = makeChange(dependencies)
  return {
    create: async (call: Call<SutCreation>): RouteResult => {
      const ended = await createSut(runner, {
        ...{ ...newSut(vault, call.body), range, random: randomHex(8) },
        ...envelopeOf(call),
      })
      if (E.isLeft(ended)) return ended
      const { _id, outcome } = ended.right
      return E.right(documentResponse('sut', await objects.after('sut', _id, sutStream(_id), outcome), true))
    },
    import: makeImport(dependencies),
    update: (call: Call<SutUpdate>) =>
      change(call, (id) => {
        const { password, user_name } = call.body
        const values = pick(call.body, SUT_FIELDS)
        const sealed = vault.seal(id, { password, user_name })
        const credentials = sealed && { credentials: sealed.credentials }
        return {
          command: { type: 'UpdateSut', values, ifMatch: call.ifMatch, ...credentials },
          secrets: sealed?.secrets,
        }
      }),
    tag: (call: Call<TagsBody>) =>
      change(call, () => ({ command: { type: 'TagSut', tags: call.body, ifMatch: call.ifMatch } })),
    monitor: (call: Call<MonitoringBody>) =>
      change(call, () => ({ command: { type: 'SetMonitoring', ...call.body, ifMatch: call.ifMatch } })),
    retire: async (call: Call): RouteResult => {
      const retired = await change(call, () => ({ command: { type: 'RetireSut', ifMatch: call.ifMatch } }))
      if (E.isRight(retired)) await releasePort(runner, call.params.id ?? '', call.requestId)
      return retired
    },
  }
}
