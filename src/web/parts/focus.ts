/** Whether nothing has the focus: what had it may have gone. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body
