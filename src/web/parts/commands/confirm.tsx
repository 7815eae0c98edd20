import type { VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../button.tsx'
import { useFocusReturn } from '../focus.ts'
import { CommandButton } from './command-button.tsx'
import { ignoreSecondClick } from './second-click.ts'

interface Action {
  readonly action: string
  /** What is said while that is done: `Releasing…`. */
  readonly doing: string
  readonly onConfirm: () => Promise<unknown>
}

interface Props extends Action {
  readonly question: string
  readonly also?: Action | undefined
  /** What the button says that leaves everything as it is. */
  readonly back?: string
  readonly onBack: () => void
  readonly isDisabled?: boolean
}

/** Asks where the button was. Enter confirms; the second click of two does not. Then the focus returns. */
export const Confirm = ({ question, also, back = 'Keep it', onBack, isDisabled = false, ...first }: Props): VNode => {
  const root = useRef<HTMLDivElement>(null)
  const [done, setDone] = useState<Action | undefined>(undefined)
  useFocusReturn(root, first.action)
  useLayoutEffect(() => root.current?.querySelector<HTMLElement>('[data-first]')?.focus(), [])
  const confirm = async (action: Action): Promise<void> => {
    setDone(action)
    await action.onConfirm().finally(() => setDone(undefined))
  }
  const isOff = isDisabled || done !== undefined
  const button = (action: Action): VNode => (
    <CommandButton
      className="btn danger"
      doing={action.doing}
      isFirst={action !== also}
      isBusy={done?.action === action.action}
      isDisabled={isOff && done?.action !== action.action}
      onPress={() => confirm(action)}
    >
      {action.action}
    </CommandButton>
  )
  return (
    <div class="row wrap acts confirm" ref={root} onClickCapture={ignoreSecondClick}>
      <span class="grow" role="alert">
        {question}
      </span>
      {button(first)}
      {also !== undefined && button(also)}
      <Button label={back} disabled={done !== undefined} onClick={onBack} />
    </div>
  )
}
