import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

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

interface Props {
  readonly className?: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  /** What it does then: `Reserving…`. */
  readonly doing: string
  readonly onPress: () => void
  readonly isFirst?: boolean
  readonly children: ComponentChildren
}

/** A button that sends something: once, however often it is pressed. While busy it keeps the focus. */
export const CommandButton = (props: Props): VNode => {
  const { className = 'btn', isBusy, isDisabled = false, doing, onPress, isFirst = false, children } = props
  const [isLate, isLong] = [useLasting(isBusy, LATE_MS), useLasting(isBusy, LONG_WAIT_MS)]
  const press = (): void => {
    if (!isBusy) onPress()
  }
  const text = isLong ? 'Still waiting for Berth…' : doing
  return (
    <button
      type="button"
      class={className}
      data-first={isFirst ? '' : undefined}
      disabled={isDisabled}
      aria-disabled={isBusy ? 'true' : undefined}
      onClick={press}
    >
      {isLate ? text : children}
    </button>
  )
}
