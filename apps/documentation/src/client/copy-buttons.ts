/** Shows the copy buttons, which do nothing without scripts, and makes them work. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement?.querySelector('code')?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
}
