import { useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'

/** Copies a text, where the browser allows it: over plain HTTP it may not. */
export const CopyButton = ({
  text,
  label = 'Copy',
  isWide = false,
  onCopied,
}: {
  readonly text: string
  readonly label?: string
  readonly isWide?: boolean
  readonly onCopied?: (() => void) | undefined
}) => {
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
    return <Button icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : label} look="small" onClick={copy} />
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      look="quiet small"
      onClick={copy}
    />
  )
}
