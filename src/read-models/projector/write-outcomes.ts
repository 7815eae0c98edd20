import { isOfFullDisk } from '../../files/full-disk.ts'

export interface AlarmHooks {
  /** Called once when views can no longer be written or read, and once when they can again. */
  readonly onAlarm: (what: string, error: unknown, part: 'views' | 'store') => void
  readonly onRecovery: (what: string, part: 'views' | 'store') => void
}

/** The results of writes: reports a failure once, and lets callers wait for a success. @param path of the file */
export const makeOutcomes = (alarms: AlarmHooks, path: string) => {
  let alarmed = false
  let isDiskFull = false
  let room = Promise.withResolvers<void>()
  return {
    isAlarmed: () => alarmed,
    /** Whether the last write failed because the disk is full. */
    isDiskFull: () => alarmed && isDiskFull,
    nextSuccess: () => room.promise,
    succeed: (): void => {
      if (alarmed) alarms.onRecovery('views can be written again', 'views')
      alarmed = false
      room.resolve()
      room = Promise.withResolvers()
    },
    fail: (error: unknown): void => {
      if (!alarmed) alarms.onAlarm('views cannot be written', error, 'views')
      alarmed = true
      isDiskFull = isOfFullDisk(error, path)
    },
  }
}

/** A timer that runs `run` once. */
export const makeTimer = (run: () => void) => {
  let timer: NodeJS.Timeout | undefined
  const clear = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const start = (milliseconds: number): void => {
    timer = setTimeout(() => {
      timer = undefined
      run()
    }, milliseconds)
  }
  return {
    clear,
    startAgain: (milliseconds: number): void => {
      clear()
      start(milliseconds)
    },
    startUnlessStarted: (milliseconds: number): void => {
      if (timer === undefined) start(milliseconds)
    },
  }
}
