import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type CorrectionRequest, type CorrectionResult, correctClock } from '../../clock-correction/record.ts'
import type { Config } from '../../config/config.ts'
import { askService } from '../../control/ask-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import { Reason } from '../../domain/event.ts'
import { whole } from '../../domain/events/fields.ts'
import { type PublicPosition, parsePosition, type StorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { answer, describeProblem } from '../service/answer.ts'
import {
  type Command,
  type CommandArguments,
  DONE,
  MISUSED,
  printRefusal,
  randomHexOf,
  type Terminal,
} from '../terminal/command.ts'
import { makeProgress } from '../terminal/progress.ts'

/** Counts from the start of the log, because the views may be on another machine. */
const storePositionBefore =
  (store: EventStore) =>
  async (position: PublicPosition): Promise<StorePosition | undefined> => {
    let left: number = position
    if (left === 0) return BEGINNING
    for await (const page of store.records(BEGINNING)) {
      if (left <= page.length) return page[left - 1]?.storePosition
      left -= page.length
    }
    return undefined
  }

/** Without a running service, this process writes the log. */
const correctAlone = async (config: Config, correction: CorrectionRequest, terminal: Terminal) => {
  const randomHex = randomHexOf(terminal)
  const store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
  const progress = makeProgress(terminal, { what: 'streams' })
  try {
    const options = {
      store,
      clock: terminal.now,
      randomHex,
      storePositionBefore: storePositionBefore(store),
      onProgress: progress.show,
    }
    return await correctClock(options, correction)
  } finally {
    progress.end()
    await store.close()
  }
}

const Corrected: t.Decoder<unknown, CorrectionResult> = answer({ streams: whole, before: whole, windows: whole }, {})

const correct = async (
  config: Config,
  correction: CorrectionRequest,
  terminal: Terminal,
): Promise<E.Either<string, CorrectionResult>> => {
  const path = join(config.data, CONTROL_SOCKET)
  if (socketPathProblem(path) !== undefined) return correctAlone(config, correction, terminal)
  const asked = await askService(path, 'clock correct', correction)
  if (E.isRight(asked)) return E.mapLeft(describeProblem)(Corrected.decode(asked.right))
  return asked.left === 'no service' ? correctAlone(config, correction, terminal) : E.left(asked.left.why)
}

/** Left: every problem with the options, one sentence each. */
const read = ({ options }: CommandArguments): E.Either<readonly string[], CorrectionRequest> => {
  const [from, to] = [options.from, options.to].map((args) => parsePosition(String(args)))
  const { why } = options
  const problems = [
    ...(from === undefined ? ['--from must be a position of the log'] : []),
    ...(to === undefined ? ['--to must be a position of the log'] : []),
    ...(from !== undefined && to !== undefined && to < from ? ['--to must not be before --from'] : []),
    ...(Reason.is(why) ? [] : ['--why must be 1 to 200 characters without control characters']),
  ]
  return problems.length > 0 || from === undefined || to === undefined
    ? E.left(problems)
    : E.right({ from, to, why: String(why) })
}

const sentence = ({ streams, before, windows }: CorrectionResult): string =>
  `corrected ${streams - before} streams${before > 0 ? `, ${before} were already corrected` : ''}; ` +
  `restored ${windows} reservations\n`

export const clockCorrectCommand: Command = {
  name: 'clock correct',
  operands: [],
  options: {
    from: { type: 'string', isRequired: true },
    to: { type: 'string', isRequired: true },
    why: { type: 'string', isRequired: true },
    json: { type: 'boolean' },
  },
  summary: 're-enables SUTs that a wrong clock has disabled',
  example: "clock correct --from 4711 --to 4790 --why 'the clock was a year ahead'",
  isOfFiles: true,
  help: `
Records that the times of the events from one position to another, both included, are wrong. A SUT with an event in the
future answers 503 clock_behind until that time has come. After the correction it works, and the reservations that the
wrong time had ended are active again. Reservations made in the span can be cancelled or released. Nothing is rewritten:
the events keep their times, and each stream with one of them gets a ClockCorrected event with the range and the reason.

First set the clock right. Find the span with "history" of such a SUT, or in the feed: from the first event with a wrong
time to the last. An interrupted correction continues when the command is run again. Requests from before the correction
are no longer recognised by their Idempotency-Key: a retry of one may be recorded a second time.

The running service makes the correction. Without one, the command writes the log itself.
With --json it prints {"streams","before","windows"}.`,
  run: async (args, config, terminal) => {
    const correction = read(args)
    if (E.isLeft(correction)) {
      for (const problem of correction.left) terminal.stderr(`berth: ${problem}\n`)
      return MISUSED
    }
    const corrected = await correct(config, correction.right, terminal)
    if (E.isLeft(corrected)) return printRefusal(terminal, corrected.left)
    terminal.stdout(args.options.json === true ? `${JSON.stringify(corrected.right)}\n` : sentence(corrected.right))
    return DONE
  },
}
