"""Translates GoogleSQL to the SQL of DuckDB. Reads a query as JSON from each line, and writes a line with the result as JSON."""

import json
import sys

import sqlglot
from sqlglot import exp


def changed(node):
    """Keeps the exactness of decimals, which sqlglot would lose."""
    if isinstance(node, exp.DataType) and node.this in (exp.DataType.Type.BIGDECIMAL, exp.DataType.Type.DECIMAL):
        scale = 15 if node.this == exp.DataType.Type.BIGDECIMAL else 9
        return exp.DataType.build(f"DECIMAL(38, {scale})", dialect="duckdb")
    return node


def translated(query):
    statements = sqlglot.parse(query, read="bigquery")
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise ValueError("expected one SELECT")
    return statements[0].transform(changed).sql(dialect="duckdb")


for line in sys.stdin:
    try:
        answer = {"sql": translated(json.loads(line))}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
