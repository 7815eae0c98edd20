import { recordedTime } from '../../domain/events/fields.ts'
import { answer, callService } from '../service/call.ts'
import type { Command } from '../terminal/command.ts'

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
    const call = { method: 'POST', path: '/api/clock/confirm', answer: Confirmed } as const
    const { time } = await callService({ data }, call)
    terminal.stdout(`confirmed: the clock is right at ${time}\n`)
  },
}
