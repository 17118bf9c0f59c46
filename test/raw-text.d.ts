// Documents as text, which vite loads by this suffix.
declare module "*.md?raw" {
  const text: string;
  export default text;
}
