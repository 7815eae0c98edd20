import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** Copies a text, where the browser allows it: over plain HTTP it may not. */
export const CopyButton = ({
  text,
  label = 'Copy',
  isWide = false,
  onCopied,
}: {
  readonly text: string
  readonly label?: string
  /** Whether the label is shown beside the icon. */
  readonly isWide?: boolean
  readonly onCopied?: (() => void) | undefined
}): VNode | undefined => {
  const [isCopied, setCopied] = useState(false)
  if (!('clipboard' in navigator)) return undefined
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true)
        onCopied?.()
      },
      () => setCopied(false),
    )
    setTimeout(() => setCopied(false), 2_000)
  }
  if (isWide)
    return (
      <button type="button" class="btn small" onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} />
        {isCopied ? 'Copied' : label}
      </button>
    )
  return (
    <button
      type="button"
      class="btn icon quiet small"
      aria-label={isCopied ? 'Copied' : label}
      title={label}
      onClick={copy}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}
