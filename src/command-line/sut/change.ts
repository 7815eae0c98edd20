import * as E from 'fp-ts/lib/Either.js'
import type { Config } from '../../config/config.ts'
import { callService } from '../service/call.ts'
import { DONE, printRefusal, randomHexOf, type Terminal } from '../terminal/command.ts'
import { lookUpSut, SutAnswer, sutPath } from './find.ts'

/** Changes the SUT that a command line means, and prints a line about it. */
export const changeSut = async (
  config: Config,
  terminal: Terminal,
  typed: string,
  change: { readonly operation: string; readonly body: object; readonly line: (sut: SutAnswer) => string },
): Promise<number> => {
  const found = await lookUpSut(config, typed)
  if (E.isLeft(found)) return printRefusal(terminal, found.left)
  const { operation, body, line } = change
  const changed = await callService(config, {
    ...{ method: 'POST', path: sutPath(found.right, operation), body, answer: SutAnswer },
    idempotencyKey: randomHexOf(terminal)(16),
  })
  if (E.isLeft(changed)) return printRefusal(terminal, changed.left)
  terminal.stdout(`${line(changed.right)}\n`)
  return DONE
}
