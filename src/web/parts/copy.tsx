import { useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'

interface Props {
  readonly text: string
  readonly label?: string
  readonly isWide?: boolean
  readonly onCopied?: (() => void) | undefined
}

/** Copies a text, where the browser allows it: over plain HTTP it may not. */
export const CopyButton = ({ text, label = 'Copy', isWide = false, onCopied }: Props) => {
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
  const Shown = isWide ? Button : IconButton
  return (
    <Shown
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      look={isWide ? 'small' : 'quiet small'}
      onClick={copy}
    />
  )
}
