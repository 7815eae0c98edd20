import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../button.tsx'
import { useFocusReturn } from '../focus.ts'
import { CommandButton } from './command-button.tsx'
import { ignoreSecondClick } from './second-click.ts'
import type { Command } from './use-command.ts'

export interface Action {
  readonly action: string
  /** What is said while that is done: `Releasing…`. */
  readonly doing: string
  readonly onConfirm: () => Promise<unknown>
}

interface Props extends Action {
  readonly command: Command
  readonly question: string
  readonly also?: Action | undefined
  /** What the button says that leaves everything as it is. */
  readonly back?: string
  /** Called when it was done, or refused, or is not to be done. */
  readonly onClose: () => void
}

/** Asks where the button was. Enter confirms; the second click of two does not. Then the focus returns. */
export const Confirm = ({ command, question, also, back = 'Keep it', onClose, ...first }: Props) => {
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
