import { useState } from 'preact/hooks'

/**
 * What is typed into a field stays there until `take` takes it: what is shown may be drawn again meanwhile, such as each
 * second. What is not taken is wrong, and stays until it is corrected.
 */
export const useTyped = (shown: string, take: (text: string) => boolean) => {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [isWrong, setWrong] = useState(false)
  const forget = (): void => {
    setTyped(undefined)
    setWrong(false)
  }
  /** Returns whether nothing wrong is left. */
  const commit = (): boolean => {
    if (typed === undefined) return true
    const isTaken = take(typed)
    if (isTaken) forget()
    else setWrong(true)
    return isTaken
  }
  return {
    ...{ isWrong, forget, commit },
    field: {
      value: typed ?? shown,
      'aria-invalid': isWrong,
      onInput: (text: string): void => {
        setTyped(text)
        setWrong(false)
      },
      onChange: commit,
      onBlur: commit,
    },
  }
}
