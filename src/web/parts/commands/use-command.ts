import { useRef, useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import type { Answer, AnswerAt, BodyAt, Outcome, Refused, Sent } from '../../service/api.ts'
import { errorsByField } from '../field.tsx'

export interface Command {
  readonly isBusy: boolean
  /** Whether nothing can be sent now: something is being sent, or the service does not answer. */
  readonly isOff: boolean
  readonly refused: Refused | undefined
  /** What the refusal says of fields, by their names. */
  readonly errors: ReadonlyMap<string, string>
  /** The refusal, if it says nothing of fields. */
  readonly unplaced: Refused | undefined
  /**
   * Sends a command, unless one is being sent. It is busy until `onDone`, which gets the answer, is over. Resolves to why
   * it was refused, if it was.
   */
  readonly send: <const P extends string>(
    path: P,
    sent?: Sent<BodyAt<P>>,
    onDone?: (answer: Answer<AnswerAt<'post', P>>) => unknown,
  ) => Promise<Refused | undefined>
  /** The same for what is more than one request, or another one. */
  readonly run: <A>(ask: () => Promise<Outcome<A>>, onDone?: (answer: A) => unknown) => Promise<Refused | undefined>
  readonly forgive: () => void
}

/** How everything is sent: one command at a time. What was refused stays until the next one. */
export const useCommand = (): Command => {
  const { api, control } = usePage()
  const [refused, setRefused] = useState<Refused | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  // A second press may come before the first was drawn.
  const isRunning = useRef(false)
  const run: Command['run'] = async (ask, onDone) => {
    if (isRunning.current) return undefined
    isRunning.current = true
    setBusy(true)
    setRefused(undefined)
    try {
      const outcome = await ask()
      if (outcome.refused === undefined) await onDone?.(outcome)
      else setRefused(outcome.refused)
      return outcome.refused
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  const errors = errorsByField(refused)
  return {
    ...{ isBusy, isOff: isBusy || !control.isAnswered.value, run },
    ...{ refused, errors, unplaced: errors.size === 0 ? refused : undefined },
    send: (path, sent, onDone) => run(() => api.send(path, sent), onDone),
    forgive: () => setRefused(undefined),
  }
}
