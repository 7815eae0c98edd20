import * as E from 'fp-ts/lib/Either.js'
import { checkPorts, importSuts, type SutImportDependencies } from '../../../commands/import-suts.ts'
import { sutStream } from '../../../domain/values/ids.ts'
import type { SutImport } from '../../codecs/imports.ts'
import { type Call, envelopeOf, type RouteResult } from '../../protocol/route.ts'
import { importResponse } from '../list-response.ts'
import type { Parts } from '../parts.ts'
import { newSut, type SutDependencies } from './suts.ts'

/** Creates SUTs, which get all of their ports or none. The response shows each as it was created, also to a retry. */
export const makeSutImport =
  (dependencies: SutDependencies & SutImportDependencies & Pick<Parts, 'clock'>) =>
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
