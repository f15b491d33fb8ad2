(rule_set (selectors) @name (block) @body) @definition.variable
(declaration (property_name) @name (#match? @name "^--")) @definition.property
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.variable
