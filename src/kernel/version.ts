// The version that /health and the OpenAPI document state; a test holds it equal to package.json's.
export const VERSION = "0.1.0";
