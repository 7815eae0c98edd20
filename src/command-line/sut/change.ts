import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { callService } from '../service/call.ts'
import { DONE, randomHexOf, refuse, type Terminal } from '../terminal/command.ts'
import { findSut, pathOf, Sut } from './find.ts'

/** Changes the SUT that a command line means, and prints a line about it. */
export const changeSut = async (
  config: Config,
  terminal: Terminal,
  typed: string,
  change: { readonly operation: string; readonly body: object; readonly line: (sut: Sut) => string },
): Promise<number> => {
  const found = await findSut(config, typed)
  if (E.isLeft(found)) return refuse(terminal, found.left)
  const { operation, body, line } = change
  const changed = await callService(config, {
    ...{ method: 'POST', path: pathOf(found.right, operation), body, answer: Sut },
    idempotencyKey: randomHexOf(terminal)(16),
  })
  if (E.isLeft(changed)) return refuse(terminal, changed.left)
  terminal.stdout(`${line(changed.right)}\n`)
  return DONE
}
