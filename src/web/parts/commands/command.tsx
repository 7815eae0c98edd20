import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import type { Answer, AnswerAt, BodyAt, Outcome, Refused, Sent } from '../../service/api.ts'
import { outcomeOf } from '../../service/api.ts'
import { Button, type ButtonProps } from '../button.tsx'
import { errorsByField } from '../field.tsx'
import { useFocusReturn } from '../focus.ts'

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
    const act = async (): Promise<Outcome<object>> => {
      const outcome = await ask()
      if (outcome.refused === undefined) await onDone?.(outcome)
      return outcome
    }
    const { refused: why } = await outcomeOf(act())
    isRunning.current = false
    setBusy(false)
    setRefused(why)
    return why
  }
  const errors = errorsByField(refused)
  return {
    ...{ isBusy, isOff: isBusy || !control.isAnswered.value, run },
    ...{ refused, errors, unplaced: errors.size === 0 ? refused : undefined },
    send: (path, sent, onDone) => run(() => api.send(path, sent), onDone),
    forgive: () => setRefused(undefined),
  }
}

/** Tells whether a component is still shown: an answer may come when one has gone on to something else. */
export const useIsMounted = (): (() => boolean) => {
  const isMounted = useRef(true)
  useEffect(
    () => () => {
      isMounted.current = false
    },
    [],
  )
  return () => isMounted.current
}

/** What is answered sooner needs no words. */
const LATE_MS = 100
const LONG_WAIT_MS = 10_000

const useLasting = (isBusy: boolean, milliseconds: number): boolean => {
  const [isLasting, setLasting] = useState(false)
  useEffect(() => {
    if (!isBusy) return undefined
    const timer = setTimeout(() => setLasting(true), milliseconds)
    return () => {
      clearTimeout(timer)
      setLasting(false)
    }
  }, [isBusy])
  return isBusy && isLasting
}

export interface ButtonOptions extends Omit<ButtonProps, 'type' | 'onClick' | 'command'> {
  readonly command: Pick<Command, 'isBusy' | 'isOff'>
  /** What is said while it is done: `Reserving…`. */
  readonly doing?: string
  /** Without it the button sends its form. */
  readonly onPress?: () => Promise<unknown>
}

/** A button that sends something: once, however often it is pressed. While busy it keeps the focus. */
export const CommandButton = ({ command, doing, onPress, disabled, label, children, ...rest }: ButtonOptions) => {
  const [isPressed, setPressed] = useState(false)
  const isBusy = command.isBusy && (isPressed || onPress === undefined)
  const [isLate, isLong] = [useLasting(isBusy, LATE_MS), useLasting(isBusy, LONG_WAIT_MS)]
  const press = async (event: Event): Promise<void> => {
    if (isBusy) event.preventDefault()
    if (isBusy || onPress === undefined) return
    setPressed(true)
    await onPress().finally(() => setPressed(false))
  }
  return (
    <Button
      {...rest}
      type={onPress === undefined ? 'submit' : 'button'}
      disabled={!isBusy && (Boolean(disabled) || command.isOff)}
      aria-disabled={isBusy ? 'true' : undefined}
      onClick={press}
    >
      {isLong ? 'Still waiting for Berth…' : (isLate && doing) || (children ?? label)}
    </Button>
  )
}

export interface Action {
  readonly action: string
  /** What is said while that is done: `Releasing…`. */
  readonly doing: string
  readonly onConfirm: () => Promise<unknown>
}

interface ConfirmOptions extends Action {
  readonly command: Command
  readonly question: string
  readonly also?: Action | undefined
  /** What the button says that leaves everything as it is. */
  readonly back?: string
  /** Called when it was done, or refused, or is not to be done. */
  readonly onClose: () => void
}

/** Asks where the button was. Enter confirms; the second click of two does not. Then the focus returns. */
export const Confirm = ({ command, question, also, back = 'Keep it', onClose, ...first }: ConfirmOptions) => {
  const root = useRef<HTMLDivElement>(null)
  useFocusReturn(root, first.action)
  useLayoutEffect(() => root.current?.querySelector<HTMLElement>('[data-first]')?.focus(), [])
  const button = ({ action, doing, onConfirm }: Action) => (
    <CommandButton
      label={action}
      look="danger"
      command={command}
      doing={doing}
      data-first={action === first.action ? '' : undefined}
      onPress={() => onConfirm().finally(onClose)}
    />
  )
  return (
    <div class="row wrap acts confirm" ref={root} onClickCapture={ignoreSecondClick}>
      <span class="grow" role="alert">
        {question}
      </span>
      {button(first)}
      {also !== undefined && button(also)}
      <Button label={back} disabled={command.isBusy} onClick={onClose} />
    </div>
  )
}

/** For `onClickCapture`: the second click of a double click is not meant for what has taken the place of a button. */
export const ignoreSecondClick = (event: MouseEvent): void => {
  if (event.detail < 2) return
  event.stopPropagation()
  event.preventDefault()
}
