import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type CorrectionRequest, type CorrectionResult, correctClock } from '../../clock-correction/record.ts'
import type { Config } from '../../config/config.ts'
import { askService } from '../../control/ask-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import { Reason } from '../../domain/event.ts'
import { recordedTime, whole } from '../../domain/events/fields.ts'
import { type PublicPosition, parsePosition, type StorePosition } from '../../domain/values/position.ts'
import { BEGINNING, type EventStore } from '../../event-store/event-store.ts'
import { openStoreForCommand } from '../../service/open-store.ts'
import { answer, describeProblem } from '../service/call.ts'
import {
  type Command,
  type CommandArguments,
  CommandFailure,
  Misused,
  orFail,
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
  await using store = await openStoreForCommand(config, { randomHex, isReadOnly: false })
  const progress = makeProgress(terminal, { what: 'streams' })
  const options = {
    store,
    clock: terminal.now,
    randomHex,
    storePositionBefore: storePositionBefore(store),
    onProgress: progress.show,
  }
  return orFail(await correctClock(options, correction).finally(progress.end))
}

const Corrected: t.Decoder<unknown, CorrectionResult> = answer({ streams: whole, before: whole, windows: whole }, {})

const correct = async (
  config: Config,
  correction: CorrectionRequest,
  terminal: Terminal,
): Promise<CorrectionResult> => {
  const path = join(config.data, CONTROL_SOCKET)
  if (socketPathProblem(path) !== undefined) return correctAlone(config, correction, terminal)
  const asked = await askService(path, 'clock correct', correction)
  if (E.isLeft(asked) && asked.left === 'no service') return correctAlone(config, correction, terminal)
  return orFail(E.mapLeft(describeProblem)(Corrected.decode(orFail(asked))))
}

/** @throws Misused with every problem of the options, one sentence each */
const read = ({ options }: CommandArguments): CorrectionRequest => {
  const [from, to] = [options.from, options.to].map((args) => parsePosition(String(args)))
  const { why } = options
  const problems = [
    ...(from === undefined ? ['--from must be a position of the log'] : []),
    ...(to === undefined ? ['--to must be a position of the log'] : []),
    ...(from !== undefined && to !== undefined && to < from ? ['--to must not be before --from'] : []),
    ...(Reason.is(why) ? [] : ['--why must be 1 to 200 characters without control characters']),
  ]
  if (problems.length > 0 || from === undefined || to === undefined) throw new Misused(problems)
  return { from, to, why: String(why) }
}

const sentence = ({ streams, before, windows }: CorrectionResult): string =>
  `corrected ${streams - before} streams${before > 0 ? `, ${before} were already corrected` : ''}; ` +
  `restored ${windows} reservations\n`

export const clockCorrectCommand: Command = {
  name: 'clock correct',
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
    const corrected = await correct(config, read(args), terminal)
    terminal.stdout(args.options.json === true ? `${JSON.stringify(corrected)}\n` : sentence(corrected))
  },
}

const Confirmed = answer({ time: recordedTime }, {})

export const clockConfirmCommand: Command = {
  name: 'clock confirm',
  summary: 'confirms that the clock of the running service is right',
  example: 'clock confirm',
  isOfFiles: true,
  help: `
A service refuses writes with 503 clock_ahead when its clock gains more than an hour on the time since boot, or when it
starts more than BERTH_CLOCK_AHEAD_MAX after the last event of its log, because an event with a future time disables its
SUT until then. Check the clock of the machine. If it is wrong, set it, and the service continues by itself. If it is
right, confirm it. Each instance over a shared store is confirmed on its own machine.`,
  run: async (_, { data }, terminal) => {
    const path = join(data, CONTROL_SOCKET)
    const why = socketPathProblem(path)
    if (why !== undefined) throw new CommandFailure(`the service cannot be reached at ${path}: ${why}`)
    const confirmed = await askService(path, 'clock confirm', {})
    if (E.isLeft(confirmed) && confirmed.left === 'no service')
      throw new CommandFailure(`no service runs on ${data}; it checks the clock at startup`)
    const read = Confirmed.decode(orFail(confirmed))
    if (E.isLeft(read)) throw new CommandFailure(`the running service confirmed it, but ${describeProblem(read.left)}`)
    terminal.stdout(`confirmed: the clock is right at ${read.right.time}\n`)
  },
}
