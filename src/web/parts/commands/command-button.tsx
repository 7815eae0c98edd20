import { useEffect, useState } from 'preact/hooks'
import { Button, type ButtonProps } from '../button.tsx'
import type { Command } from './use-command.ts'

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

interface Props extends Omit<ButtonProps, 'type' | 'onClick' | 'command'> {
  readonly command: Pick<Command, 'isBusy' | 'isOff'>
  /** What is said while it is done: `Reserving…`. */
  readonly doing?: string
  /** Without it the button sends its form. */
  readonly onPress?: () => Promise<unknown>
}

/** A button that sends something: once, however often it is pressed. While busy it keeps the focus. */
export const CommandButton = ({ command, doing, onPress, disabled = false, label, children, ...rest }: Props) => {
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
