import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { askService } from '../../control/ask-service.ts'
import { CONTROL_SOCKET, socketPathProblem } from '../../control/socket.ts'
import { recordedTime } from '../../domain/events/fields.ts'
import { answer, describeProblem } from '../service/call.ts'
import { type Command, CommandFailure, orFail } from '../terminal/command.ts'

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
