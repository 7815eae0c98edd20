/** For `onClickCapture`: the second click of a double click is not meant for what has taken the place of a button. */
export const ignoreSecondClick = (event: MouseEvent): void => {
  if (event.detail < 2) return
  event.stopPropagation()
  event.preventDefault()
}
