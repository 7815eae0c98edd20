/** What giving a machine back is called, and what is asked before. There is no way back: somebody may take it. */
export const giveBackTexts = (
  sutName: string,
  isRunning: boolean,
): { readonly verb: string; readonly question: string } =>
  isRunning
    ? { verb: 'Release', question: `Release ${sutName} now? It is free again at once.` }
    : { verb: 'Cancel', question: `Cancel this reservation of ${sutName}?` }
