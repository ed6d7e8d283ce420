"""Functions that compute and do nothing else, besides those that sqlglot knows by a class of their own."""

from __future__ import annotations

__all__ = ["COMPUTING"]

# Of SQLite, PostgreSQL, MySQL and DuckDB, as their manuals describe them: they read no file, no setting and no
# sequence, wait for nothing, take no lock and run no SQL that is given as text.
COMPUTING = frozenset(
    """
    abs acos acosh age any_value array_agg array_append array_cat array_length array_position array_remove
    array_to_string ascii asin asinh atan atan2 atanh avg bit_and bit_count bit_length bit_or bit_xor bool_and
    bool_or btrim cardinality cbrt ceil ceiling char char_length character_length chr clock_timestamp coalesce
    concat concat_ws convert_tz corr cos cosh cot count covar_pop covar_samp cume_dist curdate current_date
    current_time current_timestamp curtime date date_add date_bin date_diff date_format date_part date_sub
    date_trunc datediff datepart datetime day dayname dayofmonth dayofweek dayofyear decode degrees dense_rank div
    elt ends_with epoch every exp extract field find_in_set first first_value floor format format_bytes from_days
    from_unixtime gcd generate_series generate_subscripts geomean greatest group_concat grouping hex hour if ifnull
    iif initcap instr isfinite isnull jaro_similarity json_agg json_array json_array_elements
    json_array_elements_text json_array_length json_arrayagg json_build_array json_build_object json_contains
    json_each json_each_text json_extract json_extract_path json_extract_path_text json_extract_scalar
    json_group_array json_group_object json_keys json_length json_object json_object_agg json_object_keys
    json_objectagg json_quote json_tree json_type json_typeof json_unquote json_valid json_value jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
    jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys
    jsonb_typeof julian julianday justify_days justify_hours justify_interval kurtosis lag last last_day last_value
    lcase lcm lead least left len length levenshtein like list list_aggregate list_contains list_sort ln localtime
    localtimestamp locate log log10 log2 lower lpad ltrim mad make_date make_interval make_time make_timestamp
    makedate maketime max max_by md5 median microsecond mid min min_by minute mod mode month monthname nanosecond
    now nth_value ntile nullif nvl octet_length ord overlay percent_rank percentile_cont percentile_disc period_add
    period_diff pi position pow power printf product quantile quantile_cont quantile_disc quarter quote radians rand
    random range rank regexp_count regexp_extract regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope replace reverse right round row_number rtrim sec_to_time second sha1 sha2 sign
    sin sinh skewness soundex split_part sqrt starts_with statement_timestamp std stddev stddev_pop stddev_samp
    str_to_date strftime string_agg string_split string_to_array strip_accents strpos strptime struct_pack subdate
    substr substring substring_index subtime sum sysdate tan tanh time time_bucket time_format time_to_sec timediff
    timestamp timestampadd timestampdiff to_char to_date to_days to_json to_jsonb to_number to_seconds to_timestamp
    total transaction_timestamp translate trim trunc truncate typeof ucase unaccent unhex unicode unistr
    unix_timestamp unixepoch unnest upper utc_date utc_time utc_timestamp var_pop var_samp variance week weekday
    weekofyear width_bucket year yearweek
    """.split()
)
